import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@keelson/primitives'
import { createHttpClient, createMetrics, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { etcdMember } from '../../../../test/support/etcd/etcd-member.ts'
import { findEtcd } from '../../../../test/support/etcd/find-etcd.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { blockOn, GENESIS } from '../conductor.test-support.ts'
import { createEtcdClient } from './etcd-client.ts'
import { EtcdUnavailable } from './etcd-error.ts'
import { openEtcdStore } from './etcd-store.ts'

const etcd = findEtcd()

describe(`the history of etcd${etcd === null ? ', without tests because etcd is not installed' : `, ${etcd.version}`}`, () => {
  if (etcd === null) return
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-etcd-'))
  })
  after(() => rm(folder, { recursive: true }))

  for (const [symptom, fault] of [
    [
      'a conductor refuses an etcd that was restored from a backup',
      /restored from a backup: its record ends at block 1, and ended at block 2/,
    ],
    ['a conductor refuses an etcd that was replaced by another', /replaced, or restored from a backup: its cluster id is \d+, and was \d+/],
  ] as const) {
    it(symptom, async () => {
      const isRestored = symptom.includes('backup')
      const data = join(folder, isRestored ? 'data' : 'first')
      const [clientPort, peerPort] = [await freePort(), await freePort()]
      const memberIn = (place: string, token: string) =>
        etcdMember({ name: 'one', folder: place, clientPort, peerPort, flags: ['--initial-cluster-token', token] })
      const http = createHttpClient()
      const client = createEtcdClient({ endpoints: [`http://127.0.0.1:${clientPort}`], credentials: null, timeoutMs: 5_000 }, http)
      const answering = () => eventually('etcd answering', async () => (await client.call('kv/range', { key: 'YQ==' })).header)
      const said: string[] = []
      const log: Logger = { ...createSilentLogger(), error: (message) => void said.push(message) }
      const shared = { client, clock: createSystemClock(), log, metrics: createMetrics('keelson_conductor') }
      const { ledger, peers, check } = openEtcdStore({ prefix: 'keelson/test/', ttlSec: 60, own: ['a'], members: ['a', 'b'] }, shared)
      let member = memberIn(data, 'first')
      member.start()
      await answering()
      await ledger.grant('a', 0)
      await ledger.adopt(1, GENESIS)
      const one = blockOn(GENESIS)
      assert.equal(await ledger.append(1, one), true)
      await member.kill()
      if (isRestored) await cp(data, join(folder, 'backup'), { recursive: true })
      member.start()
      await answering()
      assert.equal(await ledger.append(1, blockOn(one.block)), true)
      await member.kill()
      member = isRestored ? memberIn(join(folder, 'backup'), 'first') : memberIn(join(folder, 'second'), 'second')
      member.start()
      await answering()
      const report = { id: 'a', address: 'memory:a', status: null, reason: 'it is only a test' }
      const refused = await eventually('a refusal', () =>
        peers.exchange([report]).then(
          () => null,
          (error: Error) => (error instanceof EtcdUnavailable ? null : error),
        ),
      )
      assert.match(refused.message, fault)
      await assert.rejects(ledger.append(1, blockOn(blockOn(one.block).block)), fault, 'also once the revision has grown')
      assert.match(said.join(), /its record may lack blocks that were published/)
      assert.equal(check().ok, false)
      http.close()
      await member.kill()
    })
  }
})
