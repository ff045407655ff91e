package longshore

import "sync"

// callbacks has what the library is to tell, by a number: C must keep no pointer to what Go moves
// and frees. The library's functions know nothing else of who called, so there is one table for all
// agents of the process.
var callbacks table

type table struct {
	lock    sync.Mutex
	last    uintptr
	entries map[uintptr]any
}

// add answers the entry's number, never 0.
func (t *table) add(entry any) uintptr {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.entries == nil {
		t.entries = make(map[uintptr]any)
	}
	t.last++
	t.entries[t.last] = entry
	return t.last
}

func (t *table) get(key uintptr) any {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.entries[key]
}

// take removes the entry, if there is one.
func (t *table) take(key uintptr) any {
	t.lock.Lock()
	defer t.lock.Unlock()
	entry := t.entries[key]
	delete(t.entries, key)
	return entry
}

// tellDone gives a call's outcome to the goroutine that waits for it.
func tellDone(key uintptr, reply nativeReply) { callbacks.take(key).(chan nativeReply) <- reply }

// tellLine logs a line. What an agent left behind when it was closed may still log.
func tellLine(key uintptr, level int32, line string) {
	if log, ok := callbacks.get(key).(func(Level, string)); ok {
		log(Level(level), line)
	}
}
