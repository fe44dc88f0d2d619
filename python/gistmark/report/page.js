"use strict";
const byId = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Colours: as the system has them, or one of both for this visit.
{
  const themes = ["light dark", "dark", "light"];
  const said = { "light dark": "as the system has them", dark: "dark", light: "light" };
  byId("theme").addEventListener("click", ({ currentTarget }) => {
    const now = document.documentElement.style.colorScheme || themes[0];
    const next = themes[(themes.indexOf(now) + 1) % themes.length];
    document.documentElement.style.colorScheme = next;
    currentTarget.setAttribute("aria-label", `Colours: ${said[next]}`);
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const target = byId(button.dataset.copy);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(target.textContent);
    } catch {
      getSelection().selectAllChildren(target); // a page opened from disk may not write to the clipboard
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}

if (byId("data")) leaf(JSON.parse(byId("data").textContent));

function leaf(data) {
  const PAGE = 25;
  const COLUMNS = 4; // numbers beside a summary until the reader chooses
  const names = Object.keys(data.scores);
  const isPart = (name) => /_(p|r|precision|recall)$/.test(name);
  const headline = names.filter((name) => data.better[name] && !isPart(name));
  const whole = new Set(names.filter((name) => data.scores[name].every((value) => value === null || Number.isInteger(value))));
  const state = {
    sort: null,
    descending: true,
    start: 0,
    shown: new Set([...headline, ...names.filter((name) => !headline.includes(name) && !isPart(name)), ...names].slice(0, COLUMNS)),
    rows: data.row.map((_, at) => at),
    open: null,
  };
  const text = (number) => (number === null ? null : data.texts[number]);
  const lower = [];
  const searched = (at) => (lower[at] ??= (text(data.summary[at]) ?? "").toLowerCase() + "\n" +
    (text(data.source[at]) ?? "").toLowerCase() + "\n" + (data.document[at] ?? "").toLowerCase());

  function number(name, at) {
    const value = data.scores[name][at];
    if (value === null) return "–";
    if (whole.has(name)) return String(value);
    const size = Math.abs(value);
    return size < 10 ? value.toFixed(4) : size < 1e4 ? value.toFixed(2) : value.toPrecision(3);
  }

  // Choosing and ordering rows. A row without the number comes last, whichever way.
  function arrange() {
    const [column, ...rest] = byId("filter").value.split("\t");
    const level = rest.join("\t");
    const wanted = column && (column === "group" ? data.group : data.levels[column.slice(1)]);
    const words = byId("find").value.trim().toLowerCase();
    const rows = data.row.map((_, at) => at).filter((at) =>
      (!wanted || (wanted[at] ?? "null") === level) && (!words || searched(at).includes(words)));
    if (state.sort !== null) {
      const values = data.scores[state.sort];
      const sign = state.descending ? -1 : 1;
      rows.sort((a, b) => (values[a] === null) - (values[b] === null) || sign * (values[a] - values[b]) || a - b);
    }
    state.rows = rows;
    state.start = 0;
    draw();
  }

  function sortBy(name) {
    if (state.sort === name) state.descending = !state.descending;
    else [state.sort, state.descending] = [name, true];
    byId("sort").value = name ?? "";
    arrange();
  }

  function draw() {
    const shown = names.filter((name) => state.shown.has(name) || name === state.sort);
    byId("table").tHead.replaceChildren(head(shown));
    byId("table").tBodies[0].replaceChildren(...state.rows.slice(state.start, state.start + PAGE).map((at) => line(at, shown)));
    const last = Math.min(state.start + PAGE, state.rows.length);
    byId("place").textContent = state.rows.length ? `${state.start + 1} to ${last} of ${state.rows.length}` : "no such row";
    byId("before").disabled = state.start === 0;
    byId("next").disabled = last >= state.rows.length;
    byId("direction").textContent = state.descending ? "highest first" : "lowest first";
    byId("direction").disabled = state.sort === null;
    byId("direction").setAttribute("aria-pressed", state.descending);
  }

  function head(shown) {
    const cells = [element("th", { scope: "col", textContent: "row" })];
    if (data.group.length) cells.push(element("th", { scope: "col", textContent: "group", style: "text-align:left" }));
    cells.push(element("th", { scope: "col", textContent: "summary", style: "text-align:left" }));
    for (const name of shown) {
      const here = name === state.sort;
      const button = element("button", { type: "button", textContent: name + (here ? (state.descending ? " ↓" : " ↑") : "") });
      button.addEventListener("click", () => {
        sortBy(name);
        byId("table").querySelector(`th[data-name="${CSS.escape(name)}"] button`).focus();
      });
      const cell = element("th", { scope: "col" }, button);
      cell.dataset.name = name;
      if (here) cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      cells.push(cell);
    }
    return element("tr", {}, ...cells);
  }

  function line(at, shown) {
    const open = element("button", { type: "button", className: "open", textContent: data.row[at] });
    open.setAttribute("aria-label", `Open row ${data.row[at]}`);
    const cells = [element("th", { scope: "row" }, open)];
    if (data.group.length) cells.push(element("td", { style: "text-align:left" }, element("bdi", { textContent: data.group[at] ?? "null" })));
    const summary = text(data.summary[at]);
    const gist = element("span", { textContent: summary ?? "null", dir: "auto", className: summary === null ? "absent" : "" });
    cells.push(element("td", { className: "gist" }, gist));
    cells.push(...shown.map((name) => element("td", { textContent: number(name, at) })));
    const row = element("tr", {}, ...cells);
    row.addEventListener("click", () => view(at));
    return row;
  }

  // One row beside its texts.
  function view(at) {
    state.open = at;
    const group = data.group.length ? `, ${data.group[at] ?? "null"}` : "";
    const document_ = data.document.length ? `, ${data.document[at] ?? "null"}` : "";
    byId("view-title").replaceChildren(element("bdi", { textContent: `Row ${data.row[at]}${group}${document_}` }));
    texts(at);
    others(at);
    references(at);
    lists(at);
    scores(at);
    const place = state.rows.indexOf(at);
    byId("view-before").disabled = place <= 0;
    byId("view-next").disabled = place < 0 || place + 1 >= state.rows.length;
    const opens = !byId("view").open;
    if (opens) byId("view").showModal();
    // Not on the first control, which would take the arrow keys; and what had it may be gone.
    if (opens || !byId("view").contains(document.activeElement)) byId("view-summary").focus();
    for (const pane of document.querySelectorAll(".pane, .columns, #view-source")) pane.scrollTop = 0;
  }

  function texts(at) {
    const { fragments, novel } = data.marks[at];
    const order = byId("order").value;
    const runs = (side) => fragments.map(([a, b, c, d, tokens], id) => ({ from: side ? c : a, to: side ? d : b, id, tokens }));
    fill(byId("view-summary"), text(data.summary[at]), runs(0), novel[order] ?? [], true);
    fill(byId("view-source"), text(data.source[at]), runs(1), [], false);
  }

  // A text cut at every border of a run or a new part; a run that is copied twice is marked under its longest.
  function fill(target, whole, runs, fresh, isSummary) {
    target.className = "text" + (whole === null ? " absent" : "");
    target.dir = "auto";
    if (whole === null) return void (target.textContent = "null");
    const borders = new Set([0, whole.length, ...runs.flatMap((run) => [run.from, run.to]), ...fresh.flat()]);
    const cuts = [...borders].sort((a, b) => a - b);
    const ordered = [...runs].sort((a, b) => b.tokens - a.tokens);
    const pieces = [];
    for (let k = 0; k + 1 < cuts.length; k++) {
      const [from, to] = [cuts[k], cuts[k + 1]];
      const run = ordered.find((one) => one.from <= from && to <= one.to);
      let piece = document.createTextNode(whole.slice(from, to));
      if (fresh.some(([a, b]) => a <= from && to <= b)) piece = element("span", { className: "new" }, piece);
      if (run) piece = marked(piece, run, isSummary);
      pieces.push(piece);
    }
    target.replaceChildren(...pieces);
  }

  function marked(piece, run, isSummary) {
    const depth = run.tokens >= 5 ? " long" : run.tokens >= 2 ? " mid" : "";
    const mark = element("mark", { className: "run" + depth, title: `${run.tokens} ${run.tokens === 1 ? "token" : "tokens"}` }, piece);
    mark.dataset.run = run.id;
    if (isSummary && run.tokens > 1) {
      mark.tabIndex = 0;
      for (const event of ["focus", "mouseenter"]) mark.addEventListener(event, () => light(run.id));
    }
    return mark;
  }

  function light(id) {
    for (const mark of byId("view").querySelectorAll("mark")) mark.classList.toggle("lit", mark.dataset.run === String(id));
    const there = byId("view-source").querySelector(`mark[data-run="${id}"]`);
    if (there) there.scrollIntoView({ block: "nearest" });
  }

  function others(at) {
    const same = data.source[at] === null || !data.group.length ? [] :
      data.row.map((_, other) => other).filter((other) => other !== at && data.source[other] === data.source[at]);
    if (!same.length) return byId("view-others").replaceChildren();
    const choice = element("select", {}, element("option", { textContent: `${same.length} more of this source`, value: "" }),
      ...same.map((other) => element("option", { textContent: data.group[other] ?? "null", value: other })));
    choice.setAttribute("aria-label", "Another summary of this source");
    choice.addEventListener("change", () => choice.value && view(Number(choice.value)));
    byId("view-others").replaceChildren(element("p", {}, choice));
  }

  function references(at) {
    const found = data.references[at].map(text);
    byId("view-references").replaceChildren(
      ...(found.length ? [element("h4", { textContent: found.length > 1 ? `References (${found.length})` : "Reference" })] : []),
      ...found.map((one) => element("div", { className: "text" + (one === null ? " absent" : ""), dir: "auto", textContent: one ?? "null" })));
  }

  // Facts, nuggets and requirements; facts carry the verdicts of the column beside them.
  function lists(at) {
    const kinds = { supported: "yes", unsupported: "no", undecided: "unsure" };
    const parts = [];
    for (const [name, lines] of Object.entries(data.lists)) {
      if (name.endsWith("_decisions") || !lines[at]) continue;
      const verdicts = data.lists[name.replace(/_facts$/, "_decisions")]?.[at] ?? [];
      const judged = name.endsWith("_facts") ? verdicts : [];
      parts.push(element("h4", { textContent: name.replaceAll("_", " ") }), element("ul", { className: "verdicts" },
        ...lines[at].map((line, k) => element("li", { className: kinds[judged[k]] ?? "", dir: "auto", title: judged[k] ?? "" },
          line ?? "null", ...(judged[k] ? [element("span", { className: "hidden", textContent: ` (${judged[k]})` })] : [])))));
    }
    byId("view-lists").replaceChildren(...parts);
  }

  function scores(at) {
    const lines = [];
    let metric = null;
    const pair = (name, value) => element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { textContent: value }));
    for (const name of names) {
      if (data.metric[name] !== metric) {
        metric = data.metric[name];
        lines.push(element("tr", {}, element("th", { colSpan: 2, textContent: metric })));
      }
      lines.push(pair(name, number(name, at)));
    }
    lines.push(element("tr", {}, element("th", { colSpan: 2, textContent: "classes" })));
    for (const [name, values] of Object.entries(data.levels)) lines.push(pair(name, values[at] ?? "null"));
    byId("view-scores").tBodies[0].replaceChildren(...lines);
  }

  function step(by) {
    const at = state.rows[state.rows.indexOf(state.open) + by];
    if (at !== undefined && state.rows.includes(state.open)) view(at);
  }

  // The controls.
  byId("sort").append(element("option", { value: "", textContent: "place in the file" }), ...grouped(names, data.metric));
  byId("sort").addEventListener("change", ({ target }) => {
    state.sort = target.value || null;
    arrange();
  });
  byId("direction").addEventListener("click", () => sortBy(state.sort));
  const levels = { ...(data.group.length ? { group: data.group } : {}),
    ...Object.fromEntries(Object.entries(data.levels).map(([name, values]) => ["." + name, values])) };
  for (const [column, values] of Object.entries(levels)) {
    const seen = [...new Set(values.map((value) => value ?? "null"))];
    const label = column === "group" ? "group" : column.slice(1);
    if (seen.length > 1) byId("filter").append(element("optgroup", { label }, ...seen.map((level) =>
      element("option", { value: `${column}\t${level}`, textContent: `${label}: ${level}` }))));
  }
  byId("filter").addEventListener("change", arrange);
  byId("find").addEventListener("input", arrange);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("fields").querySelector("div").append(...names.map((name) => {
    const box = element("input", { type: "checkbox", checked: state.shown.has(name) });
    box.addEventListener("change", () => {
      state.shown[box.checked ? "add" : "delete"](name);
      draw();
    });
    return element("label", {}, box, name);
  }));
  for (const [id, by] of [["before", -PAGE], ["next", PAGE]]) byId(id).addEventListener("click", () => {
    state.start += by;
    draw();
  });
  byId("order").addEventListener("change", () => texts(state.open));
  byId("view-close").addEventListener("click", () => byId("view").close());
  byId("view-before").addEventListener("click", () => step(-1));
  byId("view-next").addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    if (!byId("view").open || event.target.tagName === "SELECT") return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  byId("view").addEventListener("click", ({ target }) => target === byId("view") && byId("view").close());
  arrange();

  function grouped(fields, owner) {
    const groups = new Map();
    for (const name of fields) groups.set(owner[name], [...(groups.get(owner[name]) ?? []), name]);
    return [...groups].map(([label, members]) => element("optgroup", { label }, ...members.map((name) =>
      element("option", { value: name, textContent: name }))));
  }
}
