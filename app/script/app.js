// Liveness, keys, copying and zones, for pages that are whole without.
// A page says where changes are announced (data-events) and what follows (data-live): the same address is read again
// and exchanged node by node. Focus, selection, scroll and folds stay.
const prefers = document.documentElement.dataset;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
// What a page says of itself.
const datum = (name, within) => $(`[data-${name}]`, within)?.dataset[name];
const make = (name, parts) => Object.assign(document.createElement(name), parts);
const FIELDS = 'input, textarea, select';
const BUTTONS = '[data-copy], [data-copy-from], [data-keys]';
const say = (words) => { $('#voice').textContent = words; };

// ---- copying
const reveal = () => $$(BUTTONS).forEach((one) => { one.hidden = false; });
const copy = async (button) => {
  const text = button.dataset.copy ?? $(button.dataset.copyFrom).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https: the old way.
    const field = make('textarea', { value: text });
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    button.focus();
  }
  say('Copied');
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), 2000);
};

// ---- keys
const KEPT = 'dlo-shortcuts';
let kept;
try { kept = localStorage.getItem(KEPT); } catch {}
const help = $('#keys'), turn = $('[data-keys=turn]');
const other = () => (kept === 'off' ? 'on' : 'off');
const draw = () => { if (turn) turn.textContent = `Turn keys ${other()}`; };
const KEYS = {
  open: () => help.open || help.showModal(),
  close: () => help.close(),
  turn: () => {
    kept = other();
    try { localStorage.setItem(KEPT, kept); } catch {}
    draw();
  },
};
draw();
const links = () => $$('.sheet tbody tr').map((row) => $('a', row)).filter((link) => link?.offsetParent);
const here = () => links().findIndex((link) => link.closest('tr:focus-within'));
const go = (step) => links()[Math.max(here() + step, 0)]?.focus();
let led = 0;
addEventListener('keydown', (event) => {
  if (!help || prefers.shortcuts === 'off' || kept === 'off' || event.ctrlKey || event.metaKey || event.altKey
    || event.target.closest?.(`${FIELDS}, dialog, [contenteditable]`)) return;
  const after = Date.now() - led < 1500;
  led = 0;
  const act = (after ? { d: () => location.assign('/dead-letters'), a: () => location.assign('/audit') } : {
    '?': KEYS.open, '/': () => $('[role=search] input')?.focus(), j: () => go(1), k: () => go(-1),
    o: () => links()[Math.max(here(), 0)]?.click(), g: () => { led = Date.now(); },
  })[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
addEventListener('click', (event) => {
  const button = event.target.closest?.(BUTTONS);
  if (button) (KEYS[button.dataset.keys] ?? copy)(button);
});

// ---- the own zone
const own = prefers.zone === 'local';
const ownZone = (page) => {
  if (!own) return;
  const today = new Date().toLocaleDateString('sv');
  for (const one of $$('time', page)) {
    const at = new Date(one.dateTime);
    const exact = at.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'long' });
    const say = (more) => at.toLocaleString('en-GB', { day: 'numeric', month: 'short', ...more }).replace(',', '');
    const words = {
      exact, zoned: exact.slice(11), day: `${say()}, ${exact.slice(20)}`,
      moment: exact.startsWith(today) ? exact.slice(11, 19)
        : say(exact.startsWith(today.slice(0, 4)) ? { hour: '2-digit', minute: '2-digit' } : { year: 'numeric' }),
    }[one.dataset.clock];
    if (words) one.textContent = words;
    one.title = `${exact}, ${at.toISOString().slice(11, 19)} UTC`;
  }
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  $$('[data-zone-name]', page).forEach((one) => { one.textContent = name; });
};
reveal();
ownZone(document);

// ---- liveness
const place = $('[data-events]');
const clock = (at) => at.toLocaleTimeString('en-GB', { timeStyle: 'long', timeZone: own ? undefined : prefers.zone });
let heard = new Date(), read = heard, seen = '', source, fetching, again, late, older, failed;
const state = (kind, words) => $$('[data-state-words]').forEach((one) => {
  one.dataset.stateWords = kind;
  if (one.textContent !== words) one.textContent = words;
});
const stale = (why) => state('stale', `Stale since ${clock(heard)}: ${why}.`);
const fine = () => {
  const but = late ? 'what is selected' : older && 'the form being filled in';
  state('live', but ? `Live, but for ${but}.` : 'Live.');
};

const typed = (field) => field.options ? [...field.options].some((one) => one.selected !== one.defaultSelected)
  : field.type !== 'hidden' && (field.value !== field.defaultValue || field.checked !== field.defaultChecked);
const busy = (form) => (form.contains(document.activeElement) && document.activeElement.matches(FIELDS))
  || $$(FIELDS, form).some(typed);
const selected = (part) => !getSelection().isCollapsed && getSelection().containsNode(part, true);
const key = ({ id, dataset: of = {} }) => id || of.message || of.recovery || of.operation || of.seq || of.live || '';
const same = (one, other) => one.nodeName === other.nodeName && key(one) === key(other);

const morph = (old, now) => {
  if (old.isEqualNode(now) || old.hasAttribute('data-keep')) return;
  if (old.nodeName === 'FORM' && busy(old)) return void (older = true);
  const ownFold = (name) => name === 'open' && old.nodeName === 'DETAILS';
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && !ownFold(name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes) {
    if (old.getAttribute(name) !== value && !ownFold(name)) old.setAttribute(name, value);
  }
  let at = old.firstChild;
  for (const next of [...now.childNodes]) {
    const match = key(next) ? [...old.children].find((one) => same(one, next)) : at;
    if (match && same(match, next)) {
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      if (match.nodeType === 1) morph(match, next);
      else if (match.data !== next.data) match.data = next.data;
    } else old.insertBefore(document.importNode(next, true), at);
  }
  for (let gone; (gone = at);) {
    at = at.nextSibling;
    gone.remove();
  }
};

const tell = (words, onclick) => {
  const news = $('[data-news]');
  if (!news || news.dataset.news === words) return;
  news.dataset.news = words;
  const show = make('button', { textContent: 'Show', className: 'btn mini', type: 'button', onclick });
  news.replaceChildren(...(words ? [words, show] : []));
};
// New rows are announced, not pushed in.
const hold = (part, now) => {
  const rows = new Map($$('tbody tr', part).map((row) => [key(row), row]));
  const wanted = $$('tbody tr', now).filter((row) => key(row));
  const known = wanted.map((row) => rows.get(key(row)));
  const fresh = known.filter((row) => !row).length;
  if (fresh) known.forEach((row, at) => row && morph(row, wanted[at]));
  tell(fresh ? `${fresh}${fresh === wanted.length ? '+' : ''} new ` : '', () => refresh(true));
  return fresh;
};

const moved = () => tell('This has changed since you opened it. ', () => location.reload());
const exchange = (page, show) => {
  const active = document.activeElement;
  const said = datum('say');
  late = older = false;
  for (const part of $$('[data-live]')) {
    const now = $(`[data-live="${part.dataset.live}"]`, page);
    if (!now) continue;
    if (selected(part)) late = true;
    else if (part.dataset.hold === undefined || show || !hold(part, now)) morph(part, now);
  }
  if (show) tell('');
  if (datum('holds') !== datum('holds', page)) moved();
  const next = show ? links()[0] : active.isConnected ? active : Object.assign($('#main'), { tabIndex: -1 });
  if (next !== document.activeElement) next?.focus({ preventScroll: true });
  document.title = page.title;
  reveal();
  const told = datum('say');
  if (told && told !== said) say(told);
};

const refresh = async (show) => {
  if (fetching) return void (again = true);
  fetching = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) throw answer;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    ownZone(page);
    exchange(page, show);
    read = new Date();
    failed = false;
    fine();
  } catch (e) {
    failed = true;
    const gone = e.status === 404;
    if (gone) moved();
    stale(`it ${gone ? 'is gone' : 'could not be read again'}`);
  }
  fetching = false;
  if (again) {
    again = false;
    refresh();
  }
};

const hear = (event) => {
  heard = new Date();
  seen = event.lastEventId || seen;
  if (failed || event.type === 'changed' || heard - read > (datum('every') ?? 60) * 1000) refresh();
  else fine();
};
const end = () => { source = source?.close(); };
const listen = () => {
  if (!place || source || document.hidden) return;
  const address = new URL(place.dataset.events, location.href);
  if (seen) address.searchParams.set('seen', seen);
  source = new EventSource(address);
  source.addEventListener('beat', hear);
  source.addEventListener('changed', hear);
  source.onerror = () => {
    state('lost', `Disconnected; this is the state of ${clock(heard)}.`);
    if (source.readyState === EventSource.CLOSED) {
      end();
      setTimeout(listen, 5000);
    }
  };
};
// Connections are few: unseen pages give theirs back.
document.addEventListener('visibilitychange', () => (document.hidden ? end() : listen()));
addEventListener('pagehide', end);
addEventListener('pageshow', listen);
document.addEventListener('selectionchange', () => {
  if (late && getSelection().isCollapsed) {
    late = false;
    refresh();
  }
});
setInterval(() => {
  if (source?.readyState === EventSource.OPEN && Date.now() - heard > 40000) stale('the server says nothing');
}, 5000);
listen();
