import type { Server } from 'node:http'
import { type Clock, type Kzg, type Logger, messageOf, toHash } from '@keelson/primitives'
import { createHttpServer, listen, type Service } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'
import { BEACON_METHODS, type BeaconBackend, type BlobsOfSlot, createBeaconListener, renderBeaconFault } from './beacon-api.ts'
import type { BlobArchive } from './blob-archive.ts'
import { type BlobSource, createBlobCollector } from './blob-collector.ts'
import { findBlocksAtTime, type L1Block, type L1Blocks, slotToTimestampSec } from './slot-clock.ts'

export interface BeaconShimOptions {
  readonly host: string
  readonly port: number
  readonly virtualHosts: readonly string[]
  readonly pollIntervalMs: number
  readonly version: string
  readonly chainId: bigint
  readonly genesisTimeSec: number
}

export interface BeaconShimDependencies {
  readonly blocks: L1Blocks
  readonly source: BlobSource
  readonly archive: BlobArchive
  readonly kzg: Kzg
  readonly clock: Clock
  readonly log: Logger
}

const PRUNE_EVERY_POLLS = 600

export function createBeaconShim(options: BeaconShimOptions, deps: BeaconShimDependencies): Service {
  const collector = createBlobCollector(deps.blocks, deps.source, deps.archive)
  const stopping = new AbortController()
  let server: Server | null = null
  let loop: Promise<void> = Promise.resolve()

  async function blobsOfBlock(block: L1Block): Promise<BlobsOfSlot['blobs']> {
    await collector.collect(block)
    return Promise.all(
      block.blobHashes.map(async (text, index) => {
        const versionedHash = toHash(text)
        const blob = await deps.archive.find(versionedHash)
        if (blob === null) {
          throw new DevnetError('node/devnet', `blob ${versionedHash} of L1 block ${block.number} is neither archived nor known to L1`)
        }
        return { index, versionedHash, blob }
      }),
    )
  }

  async function headBlock(): Promise<readonly L1Block[]> {
    const head = await deps.blocks.byNumber(await deps.blocks.headNumber())
    return head === null ? [] : [head]
  }

  const backend: BeaconBackend = {
    version: options.version,
    chainId: options.chainId,
    genesisTimeSec: options.genesisTimeSec,
    kzg: deps.kzg,
    async blobsOf(slot) {
      const blocks =
        slot === 'head' ? await headBlock() : await findBlocksAtTime(slotToTimestampSec(slot, options.genesisTimeSec), deps.blocks)
      if (blocks.length === 0) return null
      return { blobs: (await Promise.all(blocks.map(blobsOfBlock))).flat() }
    },
  }

  async function poll(signal: AbortSignal): Promise<void> {
    for (let polls = 0; !signal.aborted; polls++) {
      try {
        const added = await collector.step()
        if (added > 0) deps.log.debug('archived blobs', { added })
        if (polls % PRUNE_EVERY_POLLS === 0) await deps.archive.prune()
      } catch (error) {
        deps.log.warn('cannot archive blobs from L1, trying again', { reason: messageOf(error) })
      }
      await deps.clock.sleep(options.pollIntervalMs, signal).catch(() => undefined)
    }
  }

  return {
    name: 'beacon-shim',
    async start() {
      const http = createHttpServer(
        { allowed: () => BEACON_METHODS, virtualHosts: options.virtualHosts, renderFault: renderBeaconFault, node: {} },
        createBeaconListener(backend),
      )
      await listen(http, { host: options.host, port: options.port, purpose: 'beacon API', option: '--port' })
      server = http
      loop = poll(stopping.signal)
    },
    async stop() {
      stopping.abort()
      server?.closeAllConnections()
      await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())))
      await loop
    },
  }
}
