// Search over the sections of the chapters and the names of the API: every word must be there, titles first.
const up = document.currentScript.dataset.up;
const box = document.getElementById('search');
const list = document.getElementById('found');

function find(words) {
    const hits = [];
    for (const [title, place, address, text] of searchIndex) {
        const heading = title.toLowerCase(), whole = (heading + ' ' + place + ' ' + text).toLowerCase();
        if (!words.every((word) => whole.includes(word)))
            continue;
        const score = (heading === words.join(' ') ? 4 : 0) + (words.every((word) => heading.includes(word)) ? 2 : 0)
            + (heading.startsWith(words[0]) ? 1 : 0);
        hits.push({title, place, address, score});
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, 30);
}

function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = words.length === 0;
    if (list.hidden)
        return;
    for (const hit of find(words)) {
        const item = document.createElement('li'), link = document.createElement('a'), where = document.createElement('span');
        link.href = up + hit.address;
        link.textContent = hit.title;
        where.textContent = hit.place;
        link.append(where);
        item.append(link);
        list.append(item);
    }
    if (!list.children.length)
        list.textContent = 'Nothing found.';
}

box.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) {
        event.preventDefault();
        box.focus();
    } else if (event.key === 'Escape') {
        box.value = '';
        show();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !list.hidden) {
        const links = [...list.querySelectorAll('a')], at = links.indexOf(document.activeElement);
        const next = at + (event.key === 'ArrowDown' ? 1 : -1);
        event.preventDefault();
        (links[next] || box).focus();
    } else if (event.key === 'Enter' && document.activeElement === box) {
        const first = list.querySelector('a');
        if (first)
            location.href = first.href;
    }
});
document.addEventListener('click', (event) => { list.hidden = list.hidden || !event.target.closest('header'); });
