"use strict";
/* The page's own script: unpacks and lists the questions, sorts tables, draws the charts in the page's colours. */
(() => {
  const PAGE = 25;
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  /* Text from the data only ever becomes text. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const spaced = (name) => name.replaceAll("_", " ");

  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };

  /* ---- sorting ---- */
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
  const nextOrder = (head) => {
    const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    return order === "ascending" ? 1 : -1;
  };
  const cellValue = (row, column) => {
    const { dataset, textContent } = row.cells[column];
    if (dataset.value === "") return null;
    return dataset.value === undefined ? textContent.trim() : Number(dataset.value);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    table.tHead.addEventListener("click", (event) => {
      const head = event.target.closest(".sort")?.parentNode;
      if (!head) return;
      const sign = nextOrder(head);
      const keyed = [...table.tBodies[0].rows].map((row) => [cellValue(row, head.cellIndex), row]);
      /* what has no value stays last in either order */
      keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b)));
      table.tBodies[0].append(...keyed.map(([, row]) => row));
    });
  }

  /* ---- charts ---- */
  const specs = JSON.parse(byId("specs").textContent);
  const dress = () => {
    const style = getComputedStyle(root);
    const colour = (name) => style.getPropertyValue(name).trim();
    const text = { labelColor: colour("--ink"), titleColor: colour("--soft"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" };
    return {
      background: null,
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      range: { category: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => colour(`--c${number}`)) },
      axis: { ...text, gridColor: colour("--line"), domainColor: colour("--edge"), tickColor: colour("--edge"), labelLimit: 170 },
      legend: { ...text, orient: "top", direction: "horizontal", columns: Math.max(1, Math.floor(document.body.clientWidth / 260)), labelLimit: 230, symbolOpacity: 1 },
      style: { chance: { color: colour("--soft"), thickness: 1.5, opacity: 0.9 } },
    };
  };
  const draw = async () => {
    const config = dress();
    for (const { id, spec } of specs) {
      /* expressions are interpreted, so that the page needs no right to build code from text */
      await window.vegaEmbed(byId(id), spec, { config, renderer: "svg", actions: false, ast: true, mode: "vega-lite" });
    }
    root.dataset.charts = "drawn";
  };
  let drawing = draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    delete root.dataset.charts;
    drawing = drawing.then(draw);
  });

  /* ---- questions ---- */
  const fields = ["search", "family", "type", "topic", "split", "run", "verdict"];
  const table = byId("question-table");
  const parts = new Map();
  let index;
  let order = [];
  let shown = [];
  let page = 0;

  const part = (number) => {
    if (!parts.has(number)) parts.set(number, unpack(`part-${number}`));
    return parts.get(number);
  };
  const value = (field) => byId(field)?.value ?? "";
  const rightCounts = (question) => {
    const given = index.verdicts.map((verdicts) => verdicts[question]).filter((verdict) => verdict !== " ");
    return { asked: given.length, right: given.filter((verdict) => verdict === "1").length };
  };
  const columns = [
    (q) => index.question[q],
    (q) => index.gold[q],
    (q) => index.types[index.type[q]],
    (q) => index.topics[index.topic[q]],
    (q) => index.splits[index.split[q]],
    (q) => index.entities[q],
    (q) => rightCounts(q).right,
  ];

  const filter = () => {
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = ["family", "type", "topic", "split"].filter((field) => value(field) !== "").map((field) => [field, Number(value(field))]);
    const verdict = value("verdict");
    const judged = value("run") === "" ? index.verdicts : [index.verdicts[Number(value("run"))]];
    /* a model alone means the questions it was asked */
    const fits = (q) => judged.some((verdicts) => (verdict === "" ? verdicts[q] !== " " : verdicts[q] === verdict));
    const judging = verdict !== "" || value("run") !== "";
    shown = order.filter(
      (q) => chosen.every(([field, number]) => index[field][q] === number)
        && words.every((word) => index.text[q].includes(word))
        && (!judging || fits(q)),
    );
    page = 0;
    list();
  };

  const list = () => {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    table.tBodies[0].replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map(row));
    byId("found").textContent = shown.length === 0
      ? "No question fits. Clear a filter, or search for fewer words."
      : `${shown.length.toLocaleString("en")} of ${index.question.length.toLocaleString("en")} questions`;
    byId("page").textContent = `Page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page + 1 >= pages;
  };

  const row = (q) => {
    const open = make("button", { type: "button", class: "open", "aria-expanded": "false" }, make("span", {}, index.question[q]));
    const gold = index.gold[q];
    const cells = [
      make("td", {}, open),
      make("td", { class: "gold" }, gold.length > 90 ? `${gold.slice(0, 90)}…` : gold),
      make("td", { class: "wide" }, spaced(index.types[index.type[q]])),
      make("td", { class: "wide" }, spaced(index.topics[index.topic[q]])),
      make("td", { class: "wide" }, index.splits[index.split[q]]),
      make("td", { class: "number wide" }, index.entities[q].toLocaleString("en")),
    ];
    if (index.runs.length) {
      const { asked, right } = rightCounts(q);
      cells.push(make("td", { class: "number" }, asked ? `${right} of ${asked}` : "–"));
    }
    const line = make("tr", {}, ...cells);
    open.addEventListener("click", () => toggle(q, open, line));
    return line;
  };

  const toggle = async (q, open, line) => {
    const opening = open.getAttribute("aria-expanded") === "false";
    open.setAttribute("aria-expanded", String(opening));
    if (!opening) return line.nextElementSibling?.classList.contains("detail") && line.nextElementSibling.remove();
    const cell = make("td", { colspan: String(line.cells.length) }, "…");
    const id = `detail-${q}`;
    open.setAttribute("aria-controls", id);
    line.after(make("tr", { class: "detail", id }, cell));
    const { questions, evidence } = await part(Math.floor(q / index.size));
    const unfolded = questions[q % index.size];
    cell.replaceChildren(...detail(q, unfolded, evidence[unfolded.evidence]));
  };

  const tableOf = (label, heads, rows) => {
    const head = make("thead", {}, make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name))));
    return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, make("table", {}, head, make("tbody", {}, ...rows)));
  };

  const query = (name, sql) => {
    const copy = make("button", { type: "button", "aria-label": `Copy ${name}` }, "Copy");
    copy.addEventListener("click", async () => {
      copy.textContent = (await toClipboard(sql)) ? "Copied" : "Select it and copy";
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    });
    return [make("h3", {}, make("span", {}, name), copy), make("pre", { tabindex: "0", "aria-label": name }, make("code", {}, sql))];
  };

  const toClipboard = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      /* pages from disk may lack the clipboard's modern way */
      const area = make("textarea", { class: "hidden", "aria-hidden": "true" });
      area.value = text;
      const before = document.activeElement;
      document.body.append(area);
      area.select();
      const copied = document.execCommand("copy");
      area.remove();
      before?.focus();
      return copied;
    }
  };

  const detail = (q, unfolded, evidence) => {
    const link = make("a", { href: `#question=${encodeURIComponent(index.id[q])}` }, index.id[q]);
    const facts = [...unfolded.facts, ["Link to it", link]].flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
    const content = [
      make("h3", {}, "Gold answer"), make("p", { class: "answer" }, index.gold[q]),
      make("dl", { class: "terms" }, ...facts),
    ];
    for (const [number, clues] of unfolded.clues.entries()) {
      const whose = unfolded.clues.length > 1 ? `Clues to the ${number ? "second" : "first"} entity` : "Clues to the entity";
      content.push(make("h3", {}, whose), make("ul", {}, ...clues.map((clue) => make("li", {}, clue))));
    }
    if (unfolded.gold_sql) content.push(...query("Gold SQL", unfolded.gold_sql));
    if (unfolded.evidence_sql) content.push(...query("Evidence SQL", unfolded.evidence_sql));
    if (evidence) {
      const { total, tuples } = evidence;
      const count = tuples.length < total ? `the first ${tuples.length} of ${total.toLocaleString("en")} tuples` : `${total.toLocaleString("en")} tuples`;
      const sourced = tuples.some((cells) => cells.length > 3);
      const rows = tuples.map(([entity, attribute, value, url]) => make(
        "tr", {}, ...[entity, attribute, value].map((cell) => make("td", {}, cell ?? "–")), ...(sourced ? [source(url)] : []),
      ));
      const heads = ["Entity", "Attribute", "Value", ...(sourced ? ["Source"] : [])];
      content.push(make("h3", {}, `Evidence: ${count}`), tableOf("Evidence", heads, rows));
    } else {
      content.push(make("h3", {}, "Evidence"), make("p", { class: "note" }, "The query of its evidence could not be run when this page was written."));
    }
    if (index.runs.length) content.push(...answers(unfolded.answers));
    return content;
  };

  /* An address that leads somewhere is a link; others, of facts written down by hand, are shown as they are. */
  const source = (url) => {
    const link = url?.startsWith("https://") ? make("a", { href: url, rel: "noreferrer" }, url) : url ?? "–";
    return make("td", { class: "said" }, link);
  };

  const answers = (given) => {
    if (!given.length) return [make("h3", {}, "Answers"), make("p", { class: "note" }, "No model was asked this question.")];
    const words = { 1: ["right", "✓ right"], 0: ["wrong", "✗ wrong"], "-": ["note", "not scored"] };
    const rows = given.map(([run, sample, outcome, verdict, said, scorer, why]) => {
      const [kind, text] = words[verdict];
      const judged = make("td", {}, make("span", { class: kind }, text), make("small", {}, [outcome === "answered" ? "" : outcome, scorer ?? "", why].filter(Boolean).join("; ")));
      return make("tr", {}, make("th", { scope: "row" }, index.runs[run].label), make("td", {}, String(sample + 1)), make("td", { class: "said" }, said || "–"), judged);
    });
    return [make("h3", {}, "Answers"), tableOf("Answers", ["Run", "Sample", "Answer", "Verdict"], rows)];
  };

  /* a link to one question: report.html#question=<id> */
  const openNamed = () => {
    const id = new URLSearchParams(location.hash.slice(1)).get("question");
    if (!id || !index.id.includes(id)) return;
    byId("filters").reset();
    byId("search").value = id;
    filter();
    const open = table.querySelector(".open");
    open.click();
    open.focus();
  };

  const options = (field, names) => byId(field)?.append(...names.map((name, number) => make("option", { value: String(number) }, name)));

  const start = async () => {
    index = await unpack("index");
    index.text = index.question.map((text, q) => `${text}\n${index.gold[q]}\n${index.id[q]}`.toLowerCase());
    order = index.question.map((_, q) => q);
    options("family", index.families.map(spaced));
    options("type", index.types.map(spaced));
    options("topic", index.topics.map(spaced));
    options("split", index.splits);
    options("run", index.runs.map((run) => run.label));
    for (const field of fields) byId(field)?.addEventListener(field === "search" ? "input" : "change", filter);
    const form = byId("filters");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => {
      for (const field of fields) if (byId(field)) byId(field).value = "";
      filter();
    });
    byId("previous").addEventListener("click", () => { page -= 1; list(); });
    byId("next").addEventListener("click", () => { page += 1; list(); });
    table.tHead.addEventListener("click", (event) => {
      const head = event.target.closest(".sort")?.parentNode;
      if (!head) return;
      const sign = nextOrder(head);
      const key = columns[head.cellIndex];
      order = order.map((q) => [key(q), q]).sort(([a, p], [b, q]) => sign * compare(a, b) || p - q).map(([, q]) => q);
      filter();
    });
    filter();
    openNamed();
    addEventListener("hashchange", openNamed);
    root.dataset.questions = "listed";
  };
  start().catch((error) => {
    byId("found").textContent = "This browser can’t unpack the questions; a newer one can.";
    throw error;
  });
})();
