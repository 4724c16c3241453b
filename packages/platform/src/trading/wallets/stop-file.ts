import { open } from 'node:fs/promises'

const MAX_BYTES = 1_024

/** A file that cannot be read also stops trading. */
export async function readStopFile(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
      const text = buffer.toString('utf8', 0, bytesRead).replace(/[\p{C}\uFFFD]+/gu, ' ')
      return text.trim() || 'the operator gave no reason'
    } finally {
      await file.close()
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'the file that would say so cannot be read'
  }
}
