import { parentPort, workerData } from 'node:worker_threads'
import { RecoveryBatch } from '@keelson/execution'
import { createPureCrypto } from '@keelson/primitives'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import type { SenderWorkerData } from './sender-threads.ts'

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')
const crypto = (workerData as SenderWorkerData).slowCrypto ? createPureCrypto() : createNativeCrypto()

port.on('message', (shared: SharedArrayBuffer) => {
  const batch = RecoveryBatch.open(shared)
  while (batch.recoverNext(crypto));
  port.postMessage('done')
})
