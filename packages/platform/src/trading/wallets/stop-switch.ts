/** The kill switch: a file that stops all trading while it exists. It is checked at every decision. */
import { open } from 'node:fs/promises'

export interface StopSwitch {
  /** Null when trading is not stopped. */
  reason(): Promise<string | null>
}

const MAX_BYTES = 1_024

export function createStopSwitch(path: string): StopSwitch {
  return {
    async reason() {
      try {
        const file = await open(path, 'r')
        try {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
          return printable(buffer.toString('utf8', 0, bytesRead)) || 'the operator gave no reason'
        } finally {
          await file.close()
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        // an unreadable file counts as present
        return 'the file that would say so cannot be read'
      }
    },
  }
}

function printable(text: string): string {
  return text.replace(/[\p{C}\uFFFD]+/gu, ' ').trim()
}
