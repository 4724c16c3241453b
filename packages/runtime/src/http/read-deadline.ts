/** Every byte that a server has for a client must be read within a time. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const MAX_CHECK_MS = 1_000
/** Checks within one deadline. */
const CHECKS = 10

export const READ_DEADLINE_MS = 60_000

interface Mark {
  /** Position in the stream of bytes of the connection. */
  readonly end: number
  readonly sinceMs: number
}

/**
 * Closes a connection whose client has not read for `deadlineMs` what waited for it. Holds for answers, downloads, event streams and
 * WebSockets alike: what is sent later has a deadline of its own.
 */
export function limitReadTime(server: Server, deadlineMs: number): void {
  const marks = new Map<Socket, Mark | null>()
  const check = () => {
    const nowMs = performance.now()
    for (const [socket, mark] of marks) {
      const { bytesWritten, writableLength } = socket
      if (writableLength === 0) marks.set(socket, null)
      else if (mark === null || bytesWritten - writableLength >= mark.end) marks.set(socket, { end: bytesWritten, sinceMs: nowMs })
      else if (nowMs - mark.sinceMs > deadlineMs) socket.destroy()
    }
  }
  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => {
    timer = setInterval(check, Math.min(MAX_CHECK_MS, deadlineMs / CHECKS)).unref()
  })
  server.on('close', () => clearInterval(timer))
  server.on('connection', (socket: Socket) => {
    marks.set(socket, null)
    socket.once('close', () => marks.delete(socket))
  })
}
