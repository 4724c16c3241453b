import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEtcdClient, type EtcdClient } from '@keelson/conductor'
import { createHttpClient, type HttpClient } from '@keelson/runtime'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { etcdMember } from './etcd-member.ts'
import { findEtcd } from './find-etcd.ts'

export interface EtcdFixture {
  /** Valid inside tests. */
  readonly client: EtcdClient
  /** Keys of a chain of its own. */
  newPrefix(): string
}

/** A suite on one member of etcd; without tests where etcd is not installed. */
export function describeEtcd(name: string, body: (fixture: EtcdFixture) => void): void {
  const etcd = findEtcd()
  describe(`${name}${etcd === null ? ', without tests because etcd is not installed' : `, on ${etcd.version}`}`, () => {
    if (etcd === null) return
    let close: () => Promise<void>
    let client: EtcdClient
    let chains = 0
    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'keelson-etcd-'))
      const clientPort = await freePort()
      const member = etcdMember({ name: 'one', folder, clientPort, peerPort: await freePort() })
      member.start()
      const http: HttpClient = createHttpClient()
      close = async () => {
        http.close()
        await member.kill()
        await rm(folder, { recursive: true })
      }
      client = createEtcdClient({ endpoints: [`http://127.0.0.1:${clientPort}`], credentials: null, timeoutMs: 5_000 }, http)
      await eventually('etcd answering', async () => (await client.call('kv/range', { key: 'YQ==' })).header)
    })
    after(() => close())
    body({
      get client() {
        return client
      },
      newPrefix: () => `keelson/test/${++chains}/`,
    })
  })
}
