import { promisify } from 'node:util'
import { constants, gzip as gzipCallback } from 'node:zlib'

const gzip = promisify(gzipCallback)

export const GZIP_FROM_BYTES = 1400
/** Leaves some of libuv's four threads to LevelDB. */
const MAX_AT_ONCE = 2

export interface Compressor {
  compress(bytes: Uint8Array, acceptEncoding: string | undefined): Promise<Uint8Array> | null
}

export function createCompressor(): Compressor {
  let running = 0
  const run = async (bytes: Uint8Array): Promise<Uint8Array> => {
    running++
    try {
      return await gzip(bytes, { level: constants.Z_BEST_SPEED })
    } finally {
      running--
    }
  }
  return {
    compress(bytes, acceptEncoding) {
      if (bytes.length < GZIP_FROM_BYTES || running >= MAX_AT_ONCE || !acceptsGzip(acceptEncoding)) return null
      return run(bytes)
    },
  }
}

/** RFC 9110 section 12.5.3. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
