// The board of oware.Board and of oware.replay. It knows no rules: Python sends what lies where,
// which pits may be chosen, and where every seed of a move goes; what is clicked is sent back.

const NS = "http://www.w3.org/2000/svg";
const LETTERS = "ABCDEFabcdef";
const SEATS = ["South", "North"];
const ARROWS = { move: "#2f86bd", best: "#3f9a4a", threat: "#d8402f" };
const MOST_IN_PIT = 19;

// Where things stand, in units of the drawing; pits run counter-clockwise from South's first.
function wide() {
  const xs = [0, 1, 2, 3, 4, 5].map((column) => 320 + 77 * (column - 2.5));
  return {
    width: 640, height: 216, radius: 29.5, letters: [207, 9], count: 42.5,
    wood: [8, 20, 624, 176],
    pits: [...xs.map((x) => [x, 142]), ...xs.slice().reverse().map((x) => [x, 74])],
    stores: [
      { x: 590, y: 95, w: 64, h: 136, count: [590, 180] },
      { x: 50, y: 121, w: 64, h: 136, count: [50, 36] },
    ],
  };
}

// For a phone: larger pits, the stores above and below the rows.
function narrow() {
  const xs = [0, 1, 2, 3, 4, 5].map((column) => 240 + 76 * (column - 2.5));
  return {
    width: 480, height: 348, radius: 33, letters: [337, 11], count: 47,
    wood: [6, 22, 468, 304],
    pits: [...xs.map((x) => [x, 213]), ...xs.slice().reverse().map((x) => [x, 135])],
    stores: [
      { x: 272, y: 297, w: 384, h: 46, count: [44, 297] },
      { x: 208, y: 51, w: 384, h: 46, count: [436, 51] },
    ],
  };
}

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function tag(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

function ring(count, radius, turn) {
  return Array.from({ length: count }, (_, place) => {
    const angle = turn + (2 * Math.PI * place) / count;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

// Up to twelve seeds lie side by side on two rings, up to seven more on top of them.
const OUTER = [0, 0, 0, 0, 0, 0, 5, 6, 7, 7, 7, 8, 9];
function pitPlaces(count, pit, radius) {
  const seed = (6.6 * radius) / 29.5;
  const turn = 2.4 * pit + 0.7;
  const floor = Math.min(count, 12);
  const outer = OUTER[floor];
  const inner = floor - outer;
  const near = inner === 1 ? 0 : seed / Math.sin(Math.PI / Math.max(inner, 2));
  const far = Math.max(seed / Math.sin(Math.PI / Math.max(outer, 2)), near + 2 * seed);
  const heap = Math.min(count, MOST_IN_PIT) - floor;
  return [
    ...ring(outer, far, turn),
    ...ring(inner, near, turn + 0.35),
    ...(heap === 1 || heap === 7 ? [[0, 0]] : []),
    ...(heap > 1 ? ring(Math.min(heap, 6), 13 * (radius / 29.5), turn + 0.9) : []),
  ];
}

function storePlaces(count, store) {
  const lying = store.w > store.h;
  const places = [];
  for (let row = 0; places.length < count && row < (lying ? 29 : 10); row += 1) {
    const across = lying ? 3 - (row % 2) : 3 + (row % 2);
    for (let at = 0; at < across; at += 1) {
      const aside = 13.6 * (at - (across - 1) / 2);
      const along = 12 + 12 * row;
      places.push(lying ? [along - store.w / 2 + 4, aside] : [aside, store.h / 2 - along]);
    }
  }
  return places.slice(0, count);
}

function curve([x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const bulge = (Math.min(0.25 * length, 24) * 2) / length;
  const control = [(x0 + x1) / 2 - bulge * (y1 - y0), (y0 + y1) / 2 + bulge * (x1 - x0)];
  const run = Math.hypot(x1 - control[0], y1 - control[1]) || 1;
  const [ux, uy] = [(x1 - control[0]) / run, (y1 - control[1]) / run];
  const side = (sign) => `${x1 - 13 * ux - sign * 8 * uy},${y1 - 13 * uy + sign * 8 * ux}`;
  return [
    `M${x0},${y0}Q${control[0]},${control[1]} ${x1},${y1}`,
    `M${side(1)}L${x1},${y1}L${side(-1)}`,
  ];
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const plural = (count) => `${count} ${count === 1 ? "seed" : "seeds"}`;

// The drawing alone: `show` puts a position on it, `moving` lets the seeds of a move go their way.
class Drawing {
  constructor() {
    this.uid = `oware${Math.random().toString(36).slice(2, 10)}`;
    this.svg = make("svg", { "aria-hidden": "true", focusable: "false" });
    this.still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.hurry = () => {};
    this.lay(wide());
  }

  lay(layout) {
    this.layout = layout;
    this.svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    this.seeds = Array.from({ length: 14 }, () => make("g", { class: "oware-seeds" }));
    this.counts = Array.from({ length: 14 }, () => make("text", { class: "oware-count" }));
    this.marks = make("g");
    this.over = make("g");
    this.hand = make("g", { class: "oware-hand" });
    this.svg.replaceChildren(
      this.definitions(), ...this.backdrop(), this.marks, ...this.seeds, ...this.counts,
      this.over, this.hand,
    );
    this.letters = layout.pits.map(([x], pit) => {
      const text = make("text", { x, y: layout.letters[pit < 6 ? 0 : 1] + 4.5, class: "oware-letter" });
      text.textContent = LETTERS[pit];
      this.svg.append(text);
      return text;
    });
  }

  definitions() {
    const gradient = (name, kind, attributes, ...stops) =>
      make(kind, { id: `${this.uid}-${name}`, ...attributes },
        ...stops.map(([offset, colour]) => make("stop", { offset, "stop-color": colour })));
    return make("defs", {},
      gradient("wood", "linearGradient", { x1: 0, y1: 0, x2: 0, y2: 1 },
        [0, "#d2a470"], [0.12, "#c69861"], [1, "#b98950"]),
      gradient("hollow", "radialGradient", { cx: 0.5, cy: 0.62, r: 0.62 },
        [0, "#74502f"], [0.7, "#62401f"], [1, "#432713"]),
      gradient("seed", "radialGradient", { cx: 0.36, cy: 0.32, r: 0.75 },
        [0, "#fbf8ec"], [0.45, "#d9d3bd"], [1, "#9b947c"]));
  }

  backdrop() {
    const { layout } = this;
    const [x, y, width, height] = layout.wood;
    const parts = [
      make("rect", { x, y, width, height, rx: 12, fill: `url(#${this.uid}-wood)`, stroke: "#2e1a0c", "stroke-width": 1.5 }),
      make("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 10, fill: "none", stroke: "#e6c091", "stroke-opacity": 0.6, "stroke-width": 1.2 }),
    ];
    for (let line = 0; line < height / 4.4; line += 1) {
      const length = 60 + (width - 260) * ((line * Math.SQRT2) % 1);
      const left = x + 8 + (width - 16 - length) * ((line * Math.sqrt(3)) % 1);
      parts.push(make("rect", {
        x: left, y: y + 5 + 4.2 * line, width: length, height: 0.6 + 0.8 * ((line * Math.sqrt(5)) % 1),
        rx: 0.4, fill: "#8a5a2e", "fill-opacity": 0.2,
      }));
    }
    const hollow = (cx, cy, w, h, rx) => [
      make("rect", { x: cx - w / 2 - 1, y: cy - h / 2 + 0.5, width: w + 2, height: h + 2, rx: rx + 1, fill: "#e2bb88", "fill-opacity": 0.8 }),
      make("rect", { x: cx - w / 2, y: cy - h / 2, width: w, height: h, rx, fill: `url(#${this.uid}-hollow)`, stroke: "#2e1a0c", "stroke-opacity": 0.55, "stroke-width": 1 }),
    ];
    for (const store of layout.stores) parts.push(...hollow(store.x, store.y, store.w, store.h, Math.min(store.w, store.h) / 2 - 4));
    for (const [cx, cy] of layout.pits) parts.push(...hollow(cx, cy, 2 * layout.radius, 2 * layout.radius, layout.radius));
    return parts;
  }

  seed(x, y) {
    const r = (6.4 * this.layout.radius) / 29.5;
    return make("circle", { cx: x, cy: y, r, fill: `url(#${this.uid}-seed)`, stroke: "#2b1a0e", "stroke-width": 0.9 });
  }

  // Draws one place anew: 0 to 11 are pits, 12 and 13 South's and North's store.
  fill(place, count) {
    const { layout } = this;
    const store = layout.stores[place - 12];
    const [x, y] = store ? [store.x, store.y] : layout.pits[place];
    const places = store ? storePlaces(count, store) : pitPlaces(count, place, layout.radius);
    this.seeds[place].replaceChildren(...places.map(([dx, dy]) => this.seed(x + dx, y + dy)));
    const text = this.counts[place];
    const [tx, ty] = store ? store.count : [x, y + (place < 6 ? layout.count : -layout.count)];
    text.setAttribute("x", tx);
    text.setAttribute("y", ty + 7);
    text.textContent = count;
  }

  board(pits, stores) {
    [...pits, ...stores].forEach((count, place) => this.fill(place, count));
  }

  disc(pit, attributes) {
    const [cx, cy] = this.layout.pits[pit];
    return make("circle", { cx, cy, r: this.layout.radius + 2.5, fill: "none", ...attributes });
  }

  show(state) {
    this.board(state.pits, state.stores);
    this.hand.replaceChildren();
    const marks = [];
    for (const pit of state.legal ?? []) marks.push(this.disc(pit, { class: "oware-legal" }));
    if (state.last !== null && state.last !== undefined) {
      marks.push(this.disc(state.last, { stroke: "#14567a", "stroke-width": 4 }));
    }
    for (const pit of state.captured ?? []) {
      marks.push(this.disc(pit, { stroke: "#a3231a", "stroke-width": 4.4, "stroke-linecap": "round", "stroke-dasharray": "0.1 9.95" }));
    }
    for (const pit of state.endangered ?? []) {
      marks.push(this.disc(pit, { stroke: "#c4232e", "stroke-width": 3.5, "stroke-dasharray": "7 5" }));
    }
    this.marks.replaceChildren(...marks);
    this.letters.forEach((text, pit) => {
      text.classList.toggle("oware-lit", !state.over && state.to_move === (pit < 6 ? 0 : 1));
    });
    this.over.replaceChildren(...this.bars(state), ...(state.arrows ?? []).flatMap((one) => this.arrow(one)));
  }

  bars(state) {
    const values = state.values ?? [];
    const scale = Math.max(4, ...values.map((value) => Math.abs(value ?? 0)));
    return values.flatMap((value, move) => {
      if (value === null) return [];
      const [px, y] = this.layout.pits[6 * state.to_move + move];
      const x = px - this.layout.radius - 8.5;
      const length = (25 * Math.abs(value)) / scale;
      return [
        make("rect", { x: x - 3.5, y: y - 27, width: 7, height: 54, rx: 3.5, fill: "#3a2110" }),
        make("rect", { x: x - 2, y: value > 0 ? y - length : y, width: 4, height: length, rx: 1.5, fill: value > 0 ? "#4fae5a" : "#e0503f" }),
        make("rect", { x: x - 4.5, y: y - 0.7, width: 9, height: 1.4, fill: "#f3e6cf" }),
      ];
    });
  }

  arrow({ start, end, kind }) {
    const paths = curve(this.layout.pits[start], this.layout.pits[end]);
    return [["#2e1a0c", 8.5], [ARROWS[kind], 5]].flatMap(([stroke, width]) =>
      paths.map((d) => make("path", { d, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round", "stroke-linejoin": "round" })));
  }

  // Waits, or not at all once somebody is in a hurry.
  wait(time) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.hurried ? 0 : time);
      this.hurry = () => {
        this.hurried = true;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  hold(place, count, time) {
    const [x, y] = place < 12 ? this.layout.pits[place] : [this.layout.stores[place - 12].x, this.layout.stores[place - 12].y];
    this.hand.style.transition = time ? `transform ${time}ms ease-in-out` : "none";
    this.hand.style.transform = `translate(${x}px, ${y}px)`;
    if (this.hand.childElementCount !== Math.min(count, MOST_IN_PIT)) {
      this.hand.replaceChildren(...pitPlaces(count, 0, 22).map(([dx, dy]) => this.seed(dx, dy - 6)));
    }
  }

  async moving(step) {
    if (this.still() || document.hidden) return;
    this.hurried = false;
    const pits = [...step.before.pits];
    const stores = [...step.before.stores];
    const time = Math.min(Math.max(1600 / step.path.length, 70), 210);
    this.show({ pits, stores, last: step.pit, to_move: step.seat });
    let held = pits[step.pit];
    pits[step.pit] = 0;
    this.fill(step.pit, 0);
    this.hold(step.pit, held, 0);
    await this.wait(120);
    for (const pit of step.path) {
      this.hold(pit, held, time);
      await this.wait(time);
      held -= 1;
      pits[pit] += 1;
      this.fill(pit, pits[pit]);
      this.hold(pit, held, 0);
    }
    const taken = [...step.captured].sort((a, b) => step.path.lastIndexOf(b) - step.path.lastIndexOf(a));
    for (const pit of taken) {
      await this.wait(160);
      this.hold(pit, pits[pit], 0);
      this.fill(pit, 0);
      await this.wait(30);
      this.hold(12 + step.seat, pits[pit], 320);
      await this.wait(320);
      stores[step.seat] += pits[pit];
      this.fill(12 + step.seat, stores[step.seat]);
      this.hand.replaceChildren();
    }
    await this.wait(120);
  }
}

// A board in an element. `host` has `state()`, `send(act)` and, where it is alone, `alone`.
export function mount(root, host) {
  const drawing = new Drawing();
  let state = host.state();
  let adding = 1;
  let focused = null;
  let playing = null;

  const act = (name, more = {}) => host.send({ do: name, version: state.version, ...more });
  const shown = () => (state.mode === "replay" ? { ...state.frames[ply], legal: [] } : state);
  let ply = state.ply ?? 0;

  const names = SEATS.map((_, seat) => tag("div", { className: `oware-name oware-name-${seat}` }));
  const pits = Array.from({ length: 12 }, (_, pit) => {
    const button = tag("button", { type: "button", className: "oware-pit", tabIndex: -1 });
    button.addEventListener("click", (event) => choose(pit, event.shiftKey));
    return button;
  });
  const stores = SEATS.map((_, seat) => {
    const button = tag("button", { type: "button", className: "oware-pit oware-store" });
    button.addEventListener("click", (event) => choose(12 + seat, event.shiftKey));
    return button;
  });
  const rows = [
    tag("div", { role: "group" }, ...pits.slice(6).reverse(), stores[1]),
    tag("div", { role: "group" }, ...pits.slice(0, 6), stores[0]),
  ];
  const table = tag("div", { className: "oware-table" }, drawing.svg, ...rows);
  const task = tag("p", { className: "oware-task", "aria-live": "polite" });
  const status = tag("p", { className: "oware-status", role: "status", "aria-live": "polite" });
  const coach = tag("div", { className: "oware-coach", role: "group", "aria-label": "Coach" });
  const tools = tag("div", { className: "oware-tools", role: "toolbar", "aria-label": "Board" });
  const told = tag("ul", { className: "oware-told", "aria-live": "polite" });
  const moves = tag("p", { className: "oware-moves" });
  const slider = tag("input", { type: "range", min: 0, className: "oware-slider", "aria-label": "Move of the replay" });
  slider.addEventListener("input", () => go(Number(slider.value)));
  const scrub = tag("div", { className: "oware-scrub" });
  // For a board with many tasks: a list of them, and ways to the one before and to the next.
  const list = tag("select", { className: "oware-tool oware-list" });
  list.addEventListener("change", () => turn(Number(list.value)));
  const series = tag("div", { className: "oware-tools", role: "group" });
  root.replaceChildren(series, task, names[1], table, names[0], scrub, status, coach, tools, told, moves);
  root.classList.add("oware");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Oware board");
  // Letters are moves here and must not reach Jupyter, where they cut and delete cells: it asks
  // for this attribute on the very element that has the focus.
  for (const one of [...pits, ...stores, slider, list]) one.setAttribute("data-lm-suppress-shortcuts", "true");

  function button(label, run, more = {}) {
    const one = tag("button", { type: "button", textContent: label, className: "oware-tool", "data-lm-suppress-shortcuts": "true", ...more });
    one.addEventListener("click", run);
    return one;
  }

  const turn = (number) => act("turn_to", { number });

  const buttons = {
    before: button("◀", () => turn(state.series.number - 1), { "aria-keyshortcuts": "P" }),
    after: button("Next", () => turn(state.series.number + 1), { "aria-keyshortcuts": "N" }),
    new: button("New game", () => act("new")),
    undo: button("Undo", () => act("undo")),
    hint: button("Hint", () => act("hint")),
    ask: button("Ask the coach", () => act("ask")),
    coach: button("Coach", () => act("coach", { on: !state.coach })),
    edit: button("Edit", () => act("edit")),
    replay: button("Replay", () => act("replay")),
    add: button("Add or remove", () => { adding = -adding; draw(); }),
    mover: button("To move", () => act("mover", { seat: 1 - state.to_move })),
    empty: button("Empty", () => act("empty")),
    done: button("Play from here", () => act("done"), { className: "oware-tool oware-main" }),
    resume: button("Play from here", () => act("resume"), { className: "oware-tool oware-main" }),
    cancel: button("Back to the game", () => act("cancel")),
    back: button("Take back", () => act("take_back"), { className: "oware-tool oware-main" }),
    on: button("Play on", () => act("play_on")),
    first: button("«", () => go(0), { "aria-label": "To the start" }),
    previous: button("◀", () => go(ply - 1), { "aria-label": "One move back" }),
    run: button("Play", () => (playing ? stop() : run()), { "aria-label": "Play all moves" }),
    next: button("▶", () => go(ply + 1), { "aria-label": "One move on" }),
    last: button("»", () => go(state.frames.length - 1), { "aria-label": "To the end" }),
  };
  series.append(buttons.before, list, buttons.after);
  scrub.append(buttons.first, buttons.previous, slider, buttons.next, buttons.last, buttons.run);
  const sets = {
    play: ["new", "undo", "hint", "coach", "ask", "edit", "replay"],
    edit: ["add", "mover", "empty", "done", "cancel"],
    replay: host.alone ? [] : ["resume", "cancel"],
  };

  function choose(place, removing) {
    drawing.hurry();
    if (state.mode === "edit") act("change", { place, by: removing ? -adding : adding });
    else if (state.legal?.includes(place)) act("play", { pit: place });
    else if (place < 12 && state.mode === "play") refuse(place);
  }

  // Which pits are legal is Python's word; this only says that this one is not among them.
  function refuse(pit) {
    const why = shown().pits[pit] === 0 ? "is empty" : "cannot be sown now";
    status.textContent = state.refusals?.[LETTERS[pit]] ?? `${LETTERS[pit]} ${why}. ${state.message}`;
  }

  function stop() {
    playing = null;
    drawing.hurry();
    label(buttons.run, "Play", "Play all moves");
  }

  async function run() {
    const turn = {};
    if (ply >= state.frames.length - 1) go(0);
    playing = turn;
    label(buttons.run, "Pause", "Pause");
    while (playing === turn && ply < state.frames.length - 1) {
      await go(ply + 1, true);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    if (playing === turn) stop();
  }

  async function go(to, running = false) {
    if (!running) stop();
    const target = Math.min(Math.max(to, 0), state.frames.length - 1);
    const forwards = target === ply + 1;
    ply = target;
    if (!host.alone) act("go_to", { ply });
    drawing.hurry();
    const step = state.frames[ply].step;
    words();
    if (forwards && step) await drawing.moving(step);
    if (ply === target) draw();
  }

  function label(element, text, aria) {
    element.textContent = text;
    if (aria) element.setAttribute("aria-label", aria);
  }

  function tasks() {
    series.hidden = !state.series || state.mode !== "play";
    if (!state.series) return;
    const { kind, number, groups, solved } = state.series;
    series.setAttribute("aria-label", `Every ${kind}`);
    list.setAttribute("aria-label", `Choose a ${kind}`);
    buttons.before.setAttribute("aria-label", `Previous ${kind}`);
    label(buttons.after, `Next ${kind}`);
    buttons.before.disabled = number === 1;
    buttons.after.disabled = number === groups.length;
    buttons.after.classList.toggle("oware-main", Boolean(state.solved));
    if (list.length !== groups.length) {
      const named = [...new Set(groups)].map((group) => tag("optgroup", { label: group }));
      groups.forEach((group, at) => {
        named.find((one) => one.label === group).append(tag("option", { value: at + 1 }));
      });
      list.replaceChildren(...named);
    }
    [...list.options].forEach((option, at) => {
      const text = `${capital(kind)} ${at + 1}${solved.includes(at + 1) ? " (solved)" : ""}`;
      if (option.textContent !== text) option.textContent = text;
    });
    list.value = number;
  }

  function place(element, x, y, w, h) {
    const { width, height } = drawing.layout;
    Object.assign(element.style, {
      left: `${(100 * (x - w / 2)) / width}%`, top: `${(100 * (y - h / 2)) / height}%`,
      width: `${(100 * w) / width}%`, height: `${(100 * h) / height}%`,
    });
  }

  // Everything but the drawing.
  function words() {
    const now = shown();
    const editing = state.mode === "edit";
    const finger = state.mode !== "replay";
    task.hidden = !state.task;
    if (task.textContent !== (state.task ?? "")) task.textContent = state.task ?? "";
    tasks();
    names.forEach((element, seat) => {
      element.textContent = `${state.names[seat]}: ${now.stores[seat]}`;
      element.classList.toggle("oware-turn", !now.over && now.to_move === seat);
    });
    pits.forEach((element, pit) => {
      const legal = Boolean(now.legal?.includes(pit));
      const [x, y] = drawing.layout.pits[pit];
      const size = 2 * drawing.layout.radius + 6;
      place(element, x, y, size, size);
      const facts = [`${SEATS[pit < 6 ? 0 : 1]} ${LETTERS[pit]}, ${plural(now.pits[pit])}`];
      if (legal) facts.push("can be sown");
      if (now.last === pit) facts.push("last move");
      if (now.captured?.includes(pit)) facts.push("captured");
      if (now.endangered?.includes(pit)) facts.push("in danger");
      element.setAttribute("aria-label", facts.join(", "));
      element.setAttribute("aria-disabled", String(!legal && !editing));
      element.classList.toggle("oware-can", legal || editing);
    });
    stores.forEach((element, seat) => {
      const store = drawing.layout.stores[seat];
      place(element, store.x, store.y, store.w, store.h);
      element.hidden = !editing;
      element.setAttribute("aria-label", `${SEATS[seat]}'s store, ${plural(now.stores[seat])}`);
    });
    rows.forEach((element, at) => {
      const seat = 1 - at;
      element.setAttribute("aria-label", `${SEATS[seat]}'s pits, ${plural(now.stores[seat])} in store`);
    });
    rove();
    const message = finger ? state.message : now.message;
    if (status.textContent !== message) status.textContent = message;
    status.dataset.tone = state.tone ?? "info";

    const paused = Boolean(state.paused);
    const rating = finger ? state.rating : now.rating;
    coach.hidden = !rating && !paused;
    const parts = [];
    if (rating) {
      const pill = tag("span", { className: `oware-pill oware-${rating.name}`, textContent: rating.name });
      parts.push(tag("span", {}, pill, ` ${rating.text}`));
    }
    if (paused) parts.push(tag("span", { className: "oware-choice" }, buttons.back, buttons.on));
    const grabbed = root.contains(document.activeElement);
    coach.replaceChildren(...parts);
    if (paused && grabbed) buttons.back.focus({ preventScroll: true });

    const wanted = sets[state.mode].map((name) => buttons[name]);
    if (wanted.some((one, at) => tools.children[at] !== one) || tools.childElementCount !== wanted.length) {
      tools.replaceChildren(...wanted);
      if (grabbed && !root.contains(document.activeElement)) (wanted[0] ?? slider).focus({ preventScroll: true });
    }
    tools.hidden = wanted.length === 0;
    const waiting = paused || state.thinking;
    buttons.undo.disabled = !state.can_undo || waiting;
    buttons.hint.disabled = !state.hints || !state.legal?.length;
    buttons.edit.disabled = buttons.replay.disabled = waiting;
    label(buttons.hint, `Hint (${state.hints})`);
    buttons.coach.setAttribute("aria-pressed", String(Boolean(state.coach)));
    label(buttons.add, adding > 0 ? "Click adds" : "Click removes");
    label(buttons.mover, `To move: ${SEATS[now.to_move]}`);
    scrub.hidden = finger;
    if (!finger) {
      slider.max = state.frames.length - 1;
      slider.value = ply;
      slider.setAttribute("aria-valuetext", now.message);
      buttons.first.disabled = buttons.previous.disabled = ply === 0;
      buttons.last.disabled = buttons.next.disabled = ply === state.frames.length - 1;
    }
    const lines = state.told ?? [];
    told.hidden = !lines.length;
    if (lines.join("\n") !== [...told.children].map((one) => one.textContent).join("\n")) {
      told.replaceChildren(...lines.map((text) => tag("li", { textContent: text })));
    }
    moves.hidden = state.mode !== "play" || !state.moves?.length;
    moves.textContent = (state.moves ?? []).map((pair, at) => `${at + 1}. ${pair}`).join("  ");
    root.setAttribute("aria-busy", String(Boolean(state.thinking)));
    root.dataset.mode = state.mode;
  }

  // One pit at a time is in the order of the Tab key; the arrow keys lead to the others.
  function rove() {
    const legal = shown().legal ?? [];
    if (focused === null || (!root.contains(document.activeElement) && legal.length && !legal.includes(focused))) {
      focused = legal[0] ?? 0;
    }
    pits.forEach((element, pit) => { element.tabIndex = pit === focused ? 0 : -1; });
  }

  function lead(pit) {
    focused = pit;
    rove();
    pits[pit].focus();
  }

  function draw() {
    words();
    drawing.show(shown());
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    if (event.target === slider && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (event.target === list) return;
    const pit = pits.indexOf(event.target);
    const store = stores.indexOf(event.target);
    const key = event.key;
    let used = true;
    if (state.mode === "replay") {
      if (key === "ArrowLeft") go(ply - 1);
      else if (key === "ArrowRight") go(ply + 1);
      else if (key === "Home") go(0);
      else if (key === "End") go(state.frames.length - 1);
      else if (key === "Escape" && !host.alone) act("cancel");
      else used = false;
    } else if (/^[a-f]$/i.test(key)) {
      const own = "abcdef".indexOf(key.toLowerCase());
      if (state.mode === "play") choose(6 * state.to_move + own, false);
      else lead(key === key.toLowerCase() ? 6 + own : own);
    } else if (pit >= 0 && /^Arrow(Left|Right)$/.test(key)) {
      const on = (key === "ArrowRight") === pit < 6 ? 1 : -1;
      lead((pit < 6 ? 0 : 6) + (((pit % 6) + on + 6) % 6));
    } else if (pit >= 0 && /^Arrow(Up|Down)$/.test(key)) lead(11 - pit);
    else if (state.mode === "edit" && pit + store > -2 && /^[-+0-9]$/.test(key)) {
      const change = { place: pit >= 0 ? pit : 12 + store };
      if (key === "-" || key === "+") act("change", { ...change, by: key === "+" ? 1 : -1 });
      else act("change", { ...change, to: Number(key) });
    } else if (key === "Escape" && state.mode === "edit") act("cancel");
    else if (/^u$/i.test(key) && !buttons.undo.disabled) act("undo");
    else if (/^h$/i.test(key) && !buttons.hint.disabled) act("hint");
    else if (/^p$/i.test(key) && !series.hidden && !buttons.before.disabled) buttons.before.click();
    else if (/^n$/i.test(key) && !series.hidden && !buttons.after.disabled) buttons.after.click();
    else used = false;
    if (used) event.preventDefault();
  });
  // A notebook takes the focus when a cell is clicked; the keys belong to what was clicked.
  root.addEventListener("click", (event) => {
    const clicked = event.target.closest("button");
    setTimeout(() => {
      if (clicked?.isConnected && !root.contains(document.activeElement)) clicked.focus({ preventScroll: true });
    });
  });
  pits.forEach((element, pit) => element.addEventListener("focus", () => { focused = pit; rove(); }));

  // States come faster than seeds move: each waits for the one before it.
  let queue = Promise.resolve();
  let latest = state;
  function update() {
    const next = host.state();
    const behind = latest !== state;
    latest = next;
    if (behind) drawing.hurry();
    queue = queue.then(async () => {
      state = next;
      if (state.mode === "replay") ply = state.ply ?? 0;
      words();
      if (state.mode === "play" && latest === next) {
        for (const step of state.steps ?? []) await drawing.moving(step);
      }
      draw();
    });
    return queue;
  }

  function lay() {
    const small = root.clientWidth > 0 && root.clientWidth < 500;
    if (small === root.classList.contains("oware-small")) return;
    root.classList.toggle("oware-small", small);
    drawing.hurry();
    drawing.lay(small ? narrow() : wide());
    draw();
  }
  const observer = new ResizeObserver(lay);
  observer.observe(root);
  draw();
  lay();
  return { update, close: () => { stop(); observer.disconnect(); } };
}

// anywidget drops every message to a board whose script took longer than two seconds to load, as it
// does on a busy machine: the board would show, and never change. So messages are taken from where
// anywidget takes them, and the state is asked for again, as one may have been dropped already.
async function listen(model) {
  try {
    const own = await model.widget_manager.get_model(model.get("token"));
    const plain = Object.getPrototypeOf(Object.getPrototypeOf(own))._handle_comm_msg;
    if (!plain || !own.comm) return;
    own.comm.on_msg((message) => plain.call(own, message));
    model.send({ do: "tell" });
  } catch {
    // Elsewhere than in Jupyter there may be nothing of the kind; anywidget's way remains.
  }
}

// What anywidget calls for each place in which a board is shown.
function render({ model, el }) {
  const root = document.createElement("div");
  root.dataset.theme = model.get("theme");
  // The picture beside this board is for a notebook that nothing runs in.
  const hide = tag("style", { textContent: `.oware-still-${model.get("token")}{display:none!important}` });
  el.append(hide, root);
  const board = mount(root, {
    state: () => model.get("state"),
    send: (message) => {
      try {
        model.send(message);
      } catch {
        // A board from a saved notebook, which nothing answers.
        root.querySelector("[role=status]").textContent = "Nothing runs behind this board: run its cell.";
      }
    },
  });
  model.on("change:state", board.update);
  listen(model);
  return () => {
    model.off("change:state", board.update);
    board.close();
  };
}

export default { render };
