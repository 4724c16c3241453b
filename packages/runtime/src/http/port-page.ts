/** What a person sees who opens a port of a service in a browser. Programs, which do not ask for HTML, get what they always did. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface PortPage {
  readonly title: string
  /** Paragraphs of text. */
  readonly lines: readonly string[]
  readonly paths?: readonly string[]
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  vary: 'accept',
} as const

export function asksForPage({ method, headers, url = '/' }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return (url.split('?')[0] as string) === '/' && /\btext\/html\b/i.test(headers.accept ?? '')
}

export interface PortPageAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function renderPortPage({ title, lines, paths = [] }: PortPage): PortPageAnswer {
  const links = paths.map((path) => `<li><a href="${escaped(path)}">${escaped(path)}</a></li>`).join('')
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head><body><main><h1>${escaped(title)}</h1>${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}${links === '' ? '' : `<ul>${links}</ul>`}</main></body></html>\n`
  return { headers: HEADERS, body }
}

export function sendPortPage(response: ServerResponse, page: PortPage): void {
  const { headers, body } = renderPortPage(page)
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
