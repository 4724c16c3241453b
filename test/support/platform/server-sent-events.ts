export interface ServerSentEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

export async function* readServerSentEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status !== 200 || !type.startsWith('text/event-stream'))
    throw new Error(`expected an event stream, got ${response.status} ${type}: ${await response.text()}`)
  let text = ''
  let id = ''
  let event = 'message'
  let data: string[] = []
  for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += piece
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end).replace(/\r$/, '')
      text = text.slice(end + 1)
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (line === '') {
        if (data.length > 0) yield { id, event, data: data.join('\n') }
        event = 'message'
        data = []
      } else if (field === 'id') id = value
      else if (field === 'event') event = value
      else if (field === 'data') data.push(value)
    }
  }
}
