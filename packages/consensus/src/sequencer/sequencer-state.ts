/** Whether the operator last started or stopped the sequencer. */
import type { KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from '../store/buckets.ts'

export interface SequencerState {
  read(): 'started' | 'stopped' | null
  /** Resolves when it is on disk. */
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

export const NO_SEQUENCER_STATE: SequencerState = { read: () => null, write: async () => undefined }
