import type { Logger } from '@keelson/primitives'

export type Unsubscribe = () => void

export interface Emitter<T> {
  on(listener: (event: T) => void): Unsubscribe
  emit(event: T): void
  readonly listenerCount: number
}

export function createEmitter<T>(log: Logger): Emitter<T> {
  const listeners = new Set<(event: T) => void>()
  return {
    on(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event)
        } catch (error) {
          log.error('a listener failed', { error })
        }
      }
    },
    get listenerCount() {
      return listeners.size
    },
  }
}
