"""Language models that judges can ask. Each backend imports what it needs when it is first asked."""
