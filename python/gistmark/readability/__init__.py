"""How hard a text is to read: formulas over words, sentences and syllables."""
