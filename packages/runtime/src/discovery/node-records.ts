/** Stores records of this chain's nodes, so that a restart needs no bootnode. */
import { CodecError, rlpBytes, rlpDecode, rlpEncode, rlpList, utf8ToBytes } from '@keelson/primitives'
import type { KeyValueStore } from '../kv/store.ts'

export interface NodeRecords {
  read(): readonly string[]
  write(records: readonly string[]): Promise<void>
}

const MAX_RECORDS = 200

export function createNodeRecords(store: KeyValueStore, key: Uint8Array): NodeRecords {
  let written = ''
  return {
    read() {
      const raw = store.getSync(key)
      if (raw === null) return []
      try {
        const decoder = new TextDecoder()
        return rlpList(rlpDecode(raw), 'discovery records').map((item) => decoder.decode(rlpBytes(item, 'a discovery record')))
      } catch (error) {
        if (error instanceof CodecError) return []
        throw error
      }
    },
    async write(records) {
      const kept = records.slice(0, MAX_RECORDS)
      const all = kept.join(' ')
      if (all === written) return
      await store.batch([{ put: key, value: rlpEncode(kept.map((record) => utf8ToBytes(record))) }])
      written = all
    },
  }
}
