/** Data of server-sent events. Comments, ids and names of events are passed over. */
const MAX_EVENT_CHARACTERS = 262_144

/** Throws RangeError for an event that is too long, and what the stream throws. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const events = (rest + decoder.decode(value, { stream: true }).replaceAll('\r', '')).split('\n\n')
      rest = events.pop() ?? ''
      if (rest.length > MAX_EVENT_CHARACTERS) throw new RangeError('an event of the platform is too long')
      for (const event of events) {
        const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
        if (data.length > 0) yield data.join('\n')
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
