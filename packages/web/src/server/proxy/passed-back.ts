import type { IncomingHttpHeaders } from 'node:http'

/** Everything else that a service says in headers is between it and this server. */
const NAMES = ['content-type', 'retry-after', 'x-chat-turn', 'x-execution-id'] as const

export function passedBack(headers: Readonly<IncomingHttpHeaders>): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}
