import { keyValueStoreSuite } from '../../runtime/src/kv/store-suite.test-support.ts'
import { createMemoryKeyValueStore } from './memory-store.ts'

keyValueStoreSuite('in memory, of state', async () => createMemoryKeyValueStore())
