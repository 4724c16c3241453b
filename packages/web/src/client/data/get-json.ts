/** A refusal of the server or of a service behind it, in its own words. */
export class Refusal extends Error {
  readonly status: number
  readonly expected: string | null
  constructor(status: number, message: string, expected: string | null) {
    super(message)
    this.status = status
    this.expected = expected
  }
}

const TIMEOUT_MS = 20_000

/** Throws Refusal; status 0 means that the server did not answer. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await readJson(await send(path, { headers: { accept: 'application/json' } }, signal))) as T
}

/** Throws Refusal, as getJson. */
export async function postJson<T>(path: string, body: object, timeoutMs = TIMEOUT_MS): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  return (await readJson(await send(path, { method: 'POST', headers, body: JSON.stringify(body) }, undefined, timeoutMs))) as T
}

export async function send(path: string, init: RequestInit, signal?: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    return await fetch(path, { ...init, signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(0, 'The server of these pages does not answer.', null)
  }
}

async function readJson(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && body !== null) return body
  const { message, error, expected } = (body ?? {}) as { message?: string; error?: string; expected?: string }
  throw new Refusal(response.status, message ?? error ?? `The server answered with status ${response.status}.`, expected ?? null)
}
