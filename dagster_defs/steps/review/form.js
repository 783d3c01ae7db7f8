"use strict";
/* The form's own script: keeps what is entered, says what is missing, and saves the CSV that the warehouse imports. */
(() => {
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const progress = document.getElementById("progress");
  const articles = [...document.querySelectorAll("article")];
  const KEY = `assay-review/${settings.sheet}`;

  /* ---- what is entered ---- */
  const controls = (article) => [...article.querySelectorAll("[data-field]")];
  const read = (article) => {
    const row = {};
    for (const control of controls(article)) {
      if (control.type !== "radio") row[control.dataset.field] = control.value;
      else if (control.checked) row[control.dataset.field] = control.value;
      else row[control.dataset.field] ??= "";
    }
    return row;
  };
  const fill = (article, row) => {
    for (const control of controls(article)) {
      const value = row[control.dataset.field] ?? "";
      if (control.type === "radio") control.checked = control.value === value;
      else control.value = value;
    }
  };

  /* ---- what is missing: the rules of the import ---- */
  const problem = (row) => {
    const verdicts = settings.verdicts;
    const cause = settings.cause ? row[settings.cause] : "";
    const given = verdicts.filter(({ name }) => row[name]);
    if (given.length === 0) return cause || row.note.trim() ? "Give your verdicts too." : null;
    if (given.length < verdicts.length) return "A verdict is missing.";
    if (!settings.cause) return "";
    const faulty = verdicts.some(({ name, faults }) => faults.includes(row[name]));
    const unsure = verdicts.some(({ name }) => row[name] === "unsure");
    if (faulty && !cause) return "Say what is wrong.";
    if (cause && !faulty && !unsure) return "You name an error, but no verdict says that something is wrong.";
    return "";
  };
  const WORDS = { done: "done", half: "not finished", open: "" };
  const judge = (article) => {
    const found = problem(read(article));
    const state = found === null ? "open" : found ? "half" : "done";
    article.classList.toggle("done", state === "done");
    article.classList.toggle("half", state === "half");
    article.querySelector(".state").textContent = WORDS[state];
    article.querySelector(".problem").textContent = found ?? "";
    article.dataset.state = state;
  };
  const count = (state) => articles.filter((article) => article.dataset.state === state).length;
  const tell = (more = "") => {
    const half = count("half");
    progress.textContent = `${count("done")} of ${articles.length} done${half ? `, ${half} not finished` : ""}.${more}`;
  };

  /* ---- keeping ---- */
  const keep = () => {
    try {
      const rows = articles.filter((article) => article.dataset.state !== "open").map((article) => [article.dataset.item, read(article)]);
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(rows)));
    } catch {
      document.getElementById("unkept").hidden = false;
    }
  };
  const restore = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      for (const article of articles) fill(article, kept[article.dataset.item] ?? {});
    } catch {
      document.getElementById("unkept").hidden = false;
    }
  };
  const changed = (article) => {
    judge(article);
    keep();
    tell();
  };

  /* ---- saving ---- */
  /* A text that a spreadsheet might take for a formula gets an apostrophe, as in csv_text.py, which takes it off. */
  const SUSPECT = /^'*(?:[ \t\n\r\f\v\xa0\u2028\u2029\u3000\ufeff]*[=+\-@＝＋－＠]|[\t\r\n])/;
  const cell = (text) => `"${(SUSPECT.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const csv = () => {
    const rows = articles.map((article) => ({ sheet: settings.sheet, item: article.dataset.item, ...read(article) }));
    const lines = [settings.columns, ...rows.map((row) => settings.columns.map((column) => row[column]))];
    return `\ufeff${lines.map((line) => line.map(cell).join(",") + "\r\n").join("")}`;
  };
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    link.download = `${settings.sheet}-filled.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    const half = count("half");
    tell(half ? ` Saved, but finish ${half === 1 ? "that one" : "those"} before you hand it in.` : ` Saved as ${link.download}.`);
  };

  /* ---- moving ---- */
  const next = () => {
    const current = articles.indexOf(document.activeElement?.closest("article"));
    const order = [...articles.slice(current + 1), ...articles.slice(0, current + 1)];
    const wanted = order.find((article) => article.dataset.state !== "done");
    if (!wanted) return tell(" Nothing is open; save the CSV.");
    wanted.scrollIntoView();
    wanted.focus({ preventScroll: true });
    return tell();
  };
  let last = null;

  for (const article of articles) {
    /* not every browser has an input event for a choice in a list */
    for (const event of ["input", "change"]) article.addEventListener(event, () => changed(article));
    article.addEventListener("focusin", () => { last = article; });
    article.querySelector(".clear").addEventListener("click", () => {
      fill(article, {});
      changed(article);
      article.focus();
    });
  }
  document.getElementById("next").addEventListener("click", () => {
    last?.focus({ preventScroll: true });
    next();
  });
  document.getElementById("save").addEventListener("click", save);
  restore();
  articles.forEach(judge);
  tell();
})();
