/** Whether the operator last started or stopped the sequencer, on disk: a restart changes nothing about that. */
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from '../store/buckets.ts'

export interface SequencerState {
  /** Null when the operator has never said. */
  read(): 'started' | 'stopped' | null
  /** Resolves when the disk has it. */
  write(state: 'started' | 'stopped'): Promise<void>
}

const KEY = Uint8Array.of(BUCKETS.sequencerState)

export function createSequencerState(store: KeyValueStore): SequencerState {
  return {
    read() {
      const value = store.getSync(KEY)
      if (value === null) return null
      return value[0] === 1 ? 'started' : 'stopped'
    },
    write: (state) => store.batch([{ put: KEY, value: Uint8Array.of(state === 'started' ? 1 : 0) }], { sync: true }),
  }
}

/** For a sequencer that a conductor starts and stops: nothing outlives its process. */
export const NO_SEQUENCER_STATE: SequencerState = { read: () => null, write: async () => undefined }
