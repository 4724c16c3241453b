import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Clock } from '@keelson/primitives'

/**
 * Each look at the clock reads the port, because a call blocks the event loop until it ends. `receive` returns false for a message
 * that has to wait for the event loop; `later` then gets it.
 */
export function createPortClock<T>(
  clock: Clock,
  port: MessagePort,
  { receive, later }: { receive(message: T): boolean; later(message: T): void },
): Clock {
  return {
    ...clock,
    monotonicMs() {
      for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
        const { message } = got as { readonly message: T }
        if (!receive(message)) setImmediate(() => later(message))
      }
      return clock.monotonicMs()
    },
  }
}
