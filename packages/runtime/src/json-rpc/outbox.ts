import { RawJson } from './raw-json.ts'

/** Delays notifications until the response with the subscription id is sent. */
export function createOutbox(send: (text: string) => boolean, maxBytes: number) {
  let waiting: string[] | null = []
  let bytes = 0
  return {
    notify(method: string, params: unknown): boolean {
      const value = params instanceof RawJson ? params.text : JSON.stringify(params)
      const text = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${value}}`
      if (waiting === null) return send(text)
      bytes += text.length
      if (bytes > maxBytes) return false
      waiting.push(text)
      return true
    },
    release(): void {
      const held = waiting ?? []
      waiting = null
      for (const text of held) send(text)
    },
  }
}
