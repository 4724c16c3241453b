import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createHttpClient, optionParsers as parse } from '@keelson/runtime'

/** The largest chain configuration has 4 KiB. */
const MAX_BYTES = 256 * 1024

/** A folder, or a URL: https, because its times decide which chain a node follows, or http on this machine. */
export const registryAddress = Object.assign(
  (value: unknown): string => {
    const given = parse.text(value)
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return parse.path(given)
    const { protocol, hostname } = URL.canParse(given) ? new URL(given) : { protocol: '', hostname: '' }
    if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return given
    throw new parse.OptionValueError(`expected a folder or a URL with https://, got "${given.slice(0, 80)}"`)
  },
  { placeholder: '<folder or URL>', schema: parse.text.schema },
)

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * `registry` is a folder or base URL. Redirects are not followed. Throws Error, also for a file above 256 KiB or after `timeoutMs`.
 */
export async function readRegistryFile(registry: string, path: string, timeoutMs: number): Promise<string> {
  return /^https?:\/\//.test(registry) ? download(`${registry.replace(/\/+$/, '')}/${path}`, timeoutMs) : readLocal(join(registry, path))
}

async function readLocal(file: string): Promise<string> {
  const { size } = await stat(file)
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, at most ${MAX_BYTES} are expected`)
  return readFile(file, 'utf8')
}

async function download(url: string, timeoutMs: number): Promise<string> {
  const http = createHttpClient()
  try {
    const { status, body } = await http.send({ url, method: 'GET', timeoutMs, maxResponseBytes: MAX_BYTES })
    if (status >= 300 && status < 400) throw new Error(`${url} answers ${status}, and redirects are not followed`)
    if (status !== 200) throw new Error(`${url} answers ${status}`)
    return Buffer.from(body).toString('utf8')
  } finally {
    http.close()
  }
}
