import type { Clock } from '@keelson/primitives'
import type { WebSocket } from 'ws'

/** Pings an open connection, and calls `silent` once it has sent nothing for a whole interval. Ends with the connection. */
export function watchSilence(connection: WebSocket, intervalMs: number, clock: Pick<Clock, 'sleep'>, silent: () => void): void {
  const ended = new AbortController()
  let heard = true
  const hear = () => {
    heard = true
  }
  connection.on('pong', hear)
  connection.on('message', hear)
  connection.once('close', () => ended.abort())
  const watch = async () => {
    for (;;) {
      await clock.sleep(intervalMs, ended.signal)
      if (!heard) {
        silent()
        return
      }
      heard = false
      connection.ping()
    }
  }
  watch().catch(() => undefined)
}
