import type { PlatformServer } from '@keelson/platform'

export interface AskOptions {
  readonly token?: string | undefined
  readonly authorization?: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly query?: Readonly<Record<string, string>>
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly stream?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the body as a client sees it
  readonly body: any
}

interface Sending {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly payload: string | Uint8Array<ArrayBuffer> | undefined
}

export async function askInjected(app: PlatformServer['app'], operation: string, options: AskOptions): Promise<Answer> {
  const { method, url, headers, payload } = sendingOf(operation, options)
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers,
    remoteAddress: '192.0.2.1',
    ...(payload === undefined ? {} : { payload: typeof payload === 'string' ? payload : Buffer.from(payload) }),
  })
  const plain = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
  return answerOf(response.statusCode, plain, response.body)
}

export async function askStreamed(base: string, operation: string, options: AskOptions): Promise<Answer> {
  const { method, url, headers, payload } = sendingOf(operation, options)
  const leaving = new AbortController()
  const body = payload === undefined ? {} : { body: payload }
  const response = await fetch(base + url, { method, headers, signal: leaving.signal, ...body })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  let text = ''
  if (!isStream) text = await response.text()
  else {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const wanted = options.stream ?? ''
    do {
      const piece = await reader?.read()
      if (piece === undefined || piece.done) break
      text += piece.value
    } while (!text.includes(wanted))
    leaving.abort()
  }
  return answerOf(response.status, Object.fromEntries(response.headers), text)
}

function sendingOf(operation: string, { token, authorization, json, form, raw, type, query, params, headers }: AskOptions): Sending {
  const [method, path] = operation.split(' ') as [string, string]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? 'none'))
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  const payload = raw ?? (json !== undefined ? JSON.stringify(json) : form === undefined ? undefined : new URLSearchParams(form).toString())
  const credentials = authorization ?? (token === undefined ? undefined : `Bearer ${token}`)
  return {
    method,
    url: filled + search,
    headers: {
      ...(payload === undefined
        ? {}
        : { 'content-type': type ?? (form === undefined ? 'application/json' : 'application/x-www-form-urlencoded') }),
      ...(credentials === undefined ? {} : { authorization: credentials }),
      ...headers,
    },
    payload,
  }
}

function answerOf(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') === true
  return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : text }
}
