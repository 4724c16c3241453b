import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { createSystemClock, findListener, findLockHolder, openLevelStore } from '@keelson/runtime'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { dialPeer } from './dial-peer.ts'
import type { Machine } from './doctor-context.ts'
import { probeDisk } from './probe-disk.ts'

const DIAL_TIMEOUT_MS = 4_000

export function thisMachine(): Machine {
  const clock = createSystemClock()
  const limit = process.constrainedMemory()
  return {
    nowMs: () => clock.nowMs(),
    nodeVersion: process.versions.node,
    processors: availableParallelism(),
    memoryBytes: limit > 0 && limit < totalmem() ? limit : totalmem(),
    openFileLimit,
    async disk(folder) {
      const { bavail, blocks, bsize } = await statfs(folder)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    },
    syncTimesMs: (folder) => probeDisk(folder, () => clock.monotonicMs()),
    listener: findListener,
    lockHolder: findLockHolder,
    dialPeer: (host, port) => dialPeer({ host, port }, DIAL_TIMEOUT_MS),
    loadNativeModules,
  }
}

/** Node.js raises its own limit to the hard one, which a role gets as well. */
async function openFileLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, hard] = /^Max open files +\S+ +(\d+|unlimited)/m.exec(limits) ?? []
  if (hard === undefined) return null
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard)
}

async function loadNativeModules(): Promise<void> {
  createNativeCrypto()
  const directory = await mkdtemp(join(tmpdir(), 'keelson-doctor-'))
  try {
    await (await openLevelStore({ directory })).close()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
