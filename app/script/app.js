// Liveness, keys and copying, for pages that are whole without any of it.
// A page says where changes are announced (data-events) and which parts follow (data-live). Then the same address is
// fetched again, and what differs is exchanged node by node: focus, selection, scroll and folds stay.
const root = document.documentElement;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, text, attributes = {}) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...[text].flat());
  return made;
};

// ---- said, not shown
const voice = make('p', '', { className: 'vh', role: 'status' });
document.body.append(voice);
const say = (words) => { voice.textContent = words; };

// ---- copying
const reveal = () => $$('[data-copy], [data-copy-from], [data-keys]').forEach((one) => { one.hidden = false; });
const copy = async (button) => {
  const text = button.dataset.copy ?? $(button.dataset.copyFrom).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https a browser has the old way only.
    const field = make('textarea', text);
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
try { kept = localStorage.getItem(KEPT); } catch { /* not kept */ }
const preferred = () => root.dataset.shortcuts !== 'off';
const on = () => preferred() && kept !== 'off';
const KEYS = [['?', 'these keys'], ['/', 'search'], ['j  k', 'next and previous row'], ['o', 'open the row'],
  ['g d', 'dead letters'], ['g a', 'audit']];
let help;
const showHelp = () => {
  if (!help) {
    const list = make('dl', KEYS.flatMap(([keys, words]) => [make('dt', keys), make('dd', words)]));
    const note = make('p', '');
    const turn = make('button', '', { className: 'btn', type: 'button' });
    const done = make('button', 'Close', { className: 'btn', type: 'button' });
    const draw = () => {
      turn.textContent = kept === 'off' ? 'Turn keys on' : 'Turn keys off';
      turn.hidden = !preferred();
      note.textContent = on() ? '' : preferred() ? 'Off in this browser.' : 'Off in your preferences.';
    };
    turn.onclick = () => {
      kept = kept === 'off' ? 'on' : 'off';
      try { localStorage.setItem(KEPT, kept); } catch { /* not kept */ }
      draw();
    };
    help = make('dialog', [make('h2', 'Keys'), list, note, make('div', [done, turn], { className: 'acts' })], { ariaLabel: 'Keys' });
    done.onclick = () => help.close();
    document.body.append(help);
    draw();
  }
  if (!help.open) help.showModal();
};
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
      '?': showHelp, '/': () => $('input[type=search]')?.focus(), j: () => go(1), k: () => go(-1),
      o: () => links()[Math.max(here(), 0)]?.click(), g: () => { led = Date.now(); },
    }[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy], [data-copy-from], [data-keys]');
  if (button) button.dataset.keys === undefined ? copy(button) : showHelp();
});
reveal();

// ---- liveness
const place = $('[data-events]');
const clock = (at) => {
  const zone = root.dataset.zone || 'UTC';
  const timeZone = zone === 'local' ? undefined : zone;
  return at.toLocaleTimeString('en-GB', { timeZone }) + (zone === 'UTC' ? ' UTC' : '');
};
const STALE = 40000;
let heard = new Date(), seen = '', source, fetching, again, late, older, failed;
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
const key = (node) => node.nodeType === 1
  ? node.id || node.dataset.message || node.dataset.recovery || node.dataset.operation || node.dataset.seq || node.dataset.live || '' : '';
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
  news.replaceChildren(...(words ? [words, make('button', 'Show', { className: 'btn mini', type: 'button', onclick })] : []));
};
// New rows are announced, not pushed in; those that are there follow.
const hold = (part, now) => {
  const rows = new Map($$('tbody tr', part).map((row) => [key(row), row]));
  const wanted = $$('tbody tr', now).filter((row) => key(row));
  const fresh = wanted.filter((row) => !rows.has(key(row))).length;
  if (fresh) wanted.forEach((row) => rows.has(key(row)) && morph(rows.get(key(row)), row));
  tell(fresh ? `${fresh}${fresh === wanted.length ? '+' : ''} new ` : '', () => refresh(true));
  return fresh;
};

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
  if (holds() !== holds(page)) tell('This has changed since you opened it. ', () => location.reload());
  const next = show ? links()[0] : active.isConnected ? active : Object.assign($('#main'), { tabIndex: -1 });
  if (next !== document.activeElement) next?.focus({ preventScroll: true });
  document.title = page.title;
  reveal();
  const told = $('[data-say]')?.dataset.say;
  if (told && told !== said) say(told);
};

const refresh = async (show = false) => {
  if (fetching) return void (again = true);
  fetching = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) throw answer;
    exchange(new DOMParser().parseFromString(await answer.text(), 'text/html'), show);
    failed = false;
    fine();
  } catch {
    failed = true;
    state('stale', `Stale since ${clock(heard)}: it could not be read again.`);
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
  if (failed || event.type === 'changed') refresh();
  else fine();
};
const part = () => {
  source?.close();
  source = null;
};
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
      part();
      setTimeout(listen, 5000);
    }
  };
};
// A browser has few connections to one host: pages that nobody looks at give theirs back.
document.addEventListener('visibilitychange', () => (document.hidden ? part() : listen()));
addEventListener('pagehide', part);
addEventListener('pageshow', listen);
document.addEventListener('selectionchange', () => {
  if (late && getSelection().isCollapsed) {
    late = false;
    refresh();
  }
});
setInterval(() => {
  if (source?.readyState === EventSource.OPEN && Date.now() - heard > STALE) {
    state('stale', `Stale since ${clock(heard)}: the server says nothing.`);
  }
}, 5000);
listen();
