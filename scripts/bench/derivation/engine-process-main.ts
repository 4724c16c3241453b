import { once } from 'node:events'
import { createRpcServer, createSystemClock, parseJwtSecret } from '@keelson/runtime'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import type { EngineProcessMessage, EngineProcessRequest } from './engine-process.ts'
import { openL2Network } from './l2-history.ts'
import { openL2Node } from './l2-node.ts'

const released = once(process, 'disconnect')
const [request] = (await once(process, 'message')) as [EngineProcessRequest]
const crypto = createNativeCrypto()
const network = openL2Network({ l1BlockTimeSec: request.l1BlockTimeSec, crypto })
const { node, close } = await openL2Node(network, request.directory, crypto)
const server = createRpcServer(
  { name: 'engine API', host: '127.0.0.1', port: 0, jwtSecret: parseJwtSecret(request.jwtSecret, 'the benchmark') },
  { methods: node.engineMethods, log: SILENT_LOGGER, clock: createSystemClock() },
)
await server.start(new AbortController().signal)
process.send?.({ url: server.httpUrl } satisfies EngineProcessMessage)
await released
await server.stop()
await close()
