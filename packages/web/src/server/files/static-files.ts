/** The built pages, held in memory: a running server is not affected by the next build. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { WebError } from '../web-error.ts'

export interface StaticFile {
  readonly body: Buffer
  /** Null where compression gains nothing. */
  readonly gzipped: Buffer | null
  readonly type: string
  readonly etag: string
  readonly cacheControl: string
}

export interface StaticFiles {
  /** `path` begins with a slash. */
  find(path: string): StaticFile | null
  readonly index: StaticFile
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.jsonl': 'application/jsonl; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
}
const COMPRESSED = new Set(['.html', '.js', '.jsonl', '.css', '.svg', '.txt'])
const MAX_BYTES = 32 * 1024 * 1024
/** Names in this folder contain a hash of the content. */
const HASHED = '/assets/'
const FOREVER = 'public, max-age=31536000, immutable'
const REVALIDATE = 'no-cache'

/** Throws WebError `web/files`. */
export function loadStaticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>()
  let bytes = 0
  for (const path of listFiles(folder)) {
    const type = TYPES[extname(path)]
    if (type === undefined) continue
    const body = readFileSync(path)
    bytes += body.length
    if (bytes > MAX_BYTES) throw new WebError('web/files', `${folder} holds more than ${MAX_BYTES} bytes; expected the built pages only`)
    const name = `/${relative(folder, path).split(sep).join('/')}`
    files.set(name, describe(name, body, type))
  }
  const index = files.get('/index.html')
  if (index === undefined) throw new WebError('web/files', `${folder} has no index.html: build the pages with npm run build`)
  return { find: (path) => files.get(path) ?? null, index }
}

function listFiles(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch (cause) {
    throw new WebError('web/files', `cannot read ${folder}: build the pages with npm run build`, {}, { cause })
  }
}

function describe(name: string, body: Buffer, type: string): StaticFile {
  const gzipped = COMPRESSED.has(extname(name)) ? gzipSync(body) : null
  return {
    body,
    gzipped: gzipped !== null && gzipped.length < body.length ? gzipped : null,
    type,
    etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`,
    cacheControl: name.startsWith(HASHED) ? FOREVER : REVALIDATE,
  }
}
