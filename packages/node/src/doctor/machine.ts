import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock, findListener, findLockHolder, openLevelStore } from '@keelson/runtime'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { dialPeer } from './dial-peer.ts'
import type { Machine } from './doctor-context.ts'

const DIAL_TIMEOUT_MS = 4_000

export function thisMachine(): Machine {
  const clock = createSystemClock()
  return {
    nowMs: () => clock.nowMs(),
    nodeVersion: process.versions.node,
    async disk(folder) {
      const { bavail, blocks, bsize } = await statfs(folder)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    },
    listener: findListener,
    lockHolder: findLockHolder,
    dialPeer: (host, port) => dialPeer({ host, port }, DIAL_TIMEOUT_MS),
    loadNativeModules,
  }
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
