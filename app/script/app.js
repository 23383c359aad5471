// Liveness, keys, copying and zones, for pages that are whole without.
// A page says where changes are announced (data-events) and what follows (data-live): the same address is read again
// and exchanged node by node. Focus, selection, scroll and folds stay.
const root = document.documentElement;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, parts) => Object.assign(document.createElement(name), parts);
const say = (words) => { $('#voice').textContent = words; };

// ---- copying
const reveal = () => $$('[data-copy], [data-copy-from], [data-keys]').forEach((one) => { one.hidden = false; });
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
const on = () => help && root.dataset.shortcuts !== 'off' && kept !== 'off';
const draw = () => { if (turn) turn.textContent = kept === 'off' ? 'Turn keys on' : 'Turn keys off'; };
const KEYS = {
  open: () => help.open || help.showModal(),
  close: () => help.close(),
  turn: () => {
    kept = kept === 'off' ? 'on' : 'off';
    try { localStorage.setItem(KEPT, kept); } catch {}
    draw();
  },
};
draw();
const links = () => $$('.sheet tbody tr').map((row) => $('a', row)).filter((link) => link && link.offsetParent);
const here = () => links().findIndex((link) => link.closest('tr').contains(document.activeElement));
const go = (step) => links()[Math.max(here() + step, 0)]?.focus();
let led = 0;
addEventListener('keydown', (event) => {
  if (!on() || event.ctrlKey || event.metaKey || event.altKey
    || event.target.closest?.('input, textarea, select, dialog, [contenteditable]')) return;
  const after = Date.now() - led < 1500;
  led = 0;
  const act = after ? { d: () => location.assign('/dead-letters'), a: () => location.assign('/audit') }[event.key]
    : {
      '?': KEYS.open, '/': () => $('[role=search] input')?.focus(), j: () => go(1), k: () => go(-1),
      o: () => links()[Math.max(here(), 0)]?.click(), g: () => { led = Date.now(); },
    }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy], [data-copy-from], [data-keys]');
  if (button) (KEYS[button.dataset.keys] ?? copy)(button);
});

// ---- the own zone
const own = root.dataset.zone === 'local';
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
  $$('[data-zone-name]', page).forEach((one) => {
    one.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
};
reveal();
ownZone(document);

// ---- liveness
const place = $('[data-events]');
const clock = (at) => at.toLocaleTimeString('en-GB', { timeStyle: 'long', timeZone: own ? undefined : root.dataset.zone });
let heard = new Date(), read = heard, seen = '', source, fetching, again, late, older, failed;
const state = (kind, words) => $$('[data-state-words]').forEach((one) => {
  one.dataset.stateWords = kind;
  if (one.textContent !== words) one.textContent = words;
});
const fine = () => state('live', late ? 'Live, but for what is selected.' : older ? 'Live, but for the form being filled in.' : 'Live.');

const typed = (field) => field.options ? [...field.options].some((one) => one.selected !== one.defaultSelected)
  : field.type !== 'hidden' && (field.value !== field.defaultValue || field.checked !== field.defaultChecked);
const busy = (form) => (form.contains(document.activeElement) && document.activeElement.matches('input, textarea, select'))
  || $$('input, textarea, select', form).some(typed);
const selected = (part) => {
  const selection = getSelection();
  return !selection.isCollapsed && selection.rangeCount > 0 && selection.getRangeAt(0).intersectsNode(part);
};
const key = ({ id, dataset }) => id || ['message', 'recovery', 'operation', 'seq', 'live'].map((name) => dataset?.[name]).find(Boolean) || '';
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
  const fresh = wanted.filter((row) => !rows.has(key(row))).length;
  if (fresh) wanted.forEach((row) => rows.has(key(row)) && morph(rows.get(key(row)), row));
  tell(fresh ? `${fresh}${fresh === wanted.length ? '+' : ''} new ` : '', () => refresh(true));
  return fresh;
};

const moved = () => tell('This has changed since you opened it. ', () => location.reload());
const exchange = (page, show) => {
  const active = document.activeElement;
  const said = $('[data-say]')?.dataset.say;
  late = older = false;
  for (const part of $$('[data-live]')) {
    const now = $(`[data-live="${part.dataset.live}"]`, page);
    if (!now) continue;
    if (selected(part)) late = true;
    else if (part.dataset.hold === undefined || show || !hold(part, now)) morph(part, now);
  }
  if (show) tell('');
  const holds = (within) => $('[data-holds]', within)?.dataset.holds;
  if (holds() !== holds(page)) moved();
  const next = show ? links()[0] : active.isConnected ? active : Object.assign($('#main'), { tabIndex: -1 });
  if (next !== document.activeElement) next?.focus({ preventScroll: true });
  document.title = page.title;
  reveal();
  const told = $('[data-say]')?.dataset.say;
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
    state('stale', `Stale since ${clock(heard)}: it ${gone ? 'is gone' : 'could not be read again'}.`);
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
  const every = ($('[data-every]')?.dataset.every ?? 60) * 1000;
  if (failed || event.type === 'changed' || heard - read > every) refresh();
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
  if (source?.readyState === EventSource.OPEN && Date.now() - heard > 40000) {
    state('stale', `Stale since ${clock(heard)}: the server says nothing.`);
  }
}, 5000);
listen();
