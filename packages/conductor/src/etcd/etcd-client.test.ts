import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpClient, Secret, type TlsFiles } from '@keelson/runtime'
import { createCertificates, hasOpenssl, readCertificate } from '../../../../test/support/certificates.ts'
import { etcdMember } from '../../../../test/support/etcd/etcd-member.ts'
import { findEtcd } from '../../../../test/support/etcd/find-etcd.ts'
import type { Restartable } from '../../../../test/support/etcd/role.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { createEtcdClient } from './etcd-client.ts'
import { examineEtcd } from './etcd-health.ts'

const SOME_KEY = { key: Buffer.from('some').toString('base64') }
const HEADER = { header: { revision: '7' } }

describe('the client of etcd', () => {
  const servers: Server[] = []
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const answering = (status: number, body: unknown) =>
    serve((_, response) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)))
  const clientOf = (...endpoints: readonly string[]) =>
    createEtcdClient({ endpoints, credentials: null, timeoutMs: 2_000 }, createHttpClient())
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('asks the next member when one is silent, down, without a majority or no etcd, and stays with the one that answers', async () => {
    let asked = 0
    const endpoints = [
      await serve(() => void asked++),
      'http://127.0.0.1:1',
      await answering(503, { error: 'etcdserver: no leader', message: 'etcdserver: no leader', code: 14 }),
      await answering(404, 'page not found'),
      await answering(200, HEADER),
    ]
    const client = clientOf(...endpoints)
    assert.deepEqual(await client.call('kv/range', SOME_KEY), HEADER)
    assert.deepEqual(await client.call('kv/range', SOME_KEY), HEADER)
    assert.equal(asked, 1)
  })

  it('says of each member why it did not answer', async () => {
    const client = clientOf('http://127.0.0.1:1', await answering(503, { error: 'etcdserver: no leader', code: 14 }))
    await assert.rejects(client.call('kv/txn', {}), {
      severity: 'temporary',
      message: /^no member of etcd answers kv\/txn: 127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:\d+: etcdserver: no leader$/,
    })
  })

  it('does not ask another member for what one refuses', async () => {
    let asked = 0
    const other = await serve(() => void asked++)
    const client = clientOf(await answering(404, { error: 'etcdserver: requested lease not found', code: 5 }), other)
    await assert.rejects(client.call('lease/revoke', { ID: '1' }), { status: 5, message: 'etcdserver: requested lease not found' })
    assert.equal(asked, 0)
  })

  it('reads the errors of streams, which come with status 200', async () => {
    const client = clientOf(await answering(200, { error: { grpc_code: 16, message: 'etcdserver: invalid auth token' } }))
    await assert.rejects(client.call('lease/keepalive', { ID: '1' }), { status: 16 })
  })

  it('does not read an endless answer', async () => {
    const endpoint = await serve((_, response) => {
      response.writeHead(200)
      const more = () => response.write('x'.repeat(1_000_000), () => (response.destroyed ? undefined : setImmediate(more)))
      more()
    })
    const client = createEtcdClient({ endpoints: [endpoint], credentials: null, timeoutMs: 30_000 }, createHttpClient())
    await assert.rejects(client.call('kv/range', SOME_KEY), /is larger than \d+ bytes/)
  })
})

const etcd = findEtcd()

describe(`an etcd with access control${etcd === null ? ', without tests because etcd is not installed' : `, ${etcd.version}`}`, () => {
  if (etcd === null) return
  let folder: string
  let member: Restartable
  let port: number
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-etcd-'))
    port = await freePort()
  })
  afterEach(async () => {
    await member.kill()
    await rm(folder, { recursive: true })
  })
  const start = async (scheme: string, flags: readonly string[] = []) => {
    member = etcdMember({ name: 'one', folder, clientPort: port, peerPort: await freePort(), scheme, flags })
    member.start()
  }
  const connect = (scheme: string, password: string | null = null, tls: TlsFiles = {}) =>
    createEtcdClient(
      {
        endpoints: [`${scheme}://127.0.0.1:${port}`],
        credentials: password === null ? null : { user: 'root', password: new Secret(password) },
        timeoutMs: 5_000,
      },
      createHttpClient({ tls }),
    )

  it('answers a user with the password, also after a restart forgot the token, and nobody else', async () => {
    await start('http')
    const endpoint = `http://127.0.0.1:${port}/v3/auth`
    const post = async (path: string, body: object) =>
      (await fetch(`${endpoint}/${path}`, { method: 'POST', body: JSON.stringify(body) })).ok
    await eventually('a user', () => post('user/add', { name: 'root', password: 'right' }))
    await post('role/add', { name: 'root' })
    await post('user/grant', { user: 'root', role: 'root' })
    assert.equal(await post('enable', {}), true)
    await assert.rejects(connect('http').call('kv/range', SOME_KEY), /user name is empty/)
    await assert.rejects(connect('http', 'wrong').call('kv/range', SOME_KEY), /authentication failed/)
    const client = connect('http', 'right')
    assert.ok((await client.call('kv/range', SOME_KEY)).header)
    await member.kill()
    member.start()
    assert.ok(await eventually('an answer after the restart', async () => (await client.call('kv/range', SOME_KEY)).header))
    assert.deepEqual((await examineEtcd(client)).members[0]?.version, etcd.version.split(' ')[1])
  })

  it('is reached over TLS when its certificate is trusted, and not otherwise', async () => {
    await start('https', ['--auto-tls'])
    const certificate = join(folder, 'fixtures', 'client', 'cert.pem')
    const ca = await eventually('a whole certificate', async () => {
      const text = existsSync(certificate) ? readFileSync(certificate, 'utf8') : ''
      return text.includes('END CERTIFICATE') ? text : null
    })
    const client = connect('https', null, { ca })
    await eventually('an answer', async () => (await client.call('kv/range', SOME_KEY)).header)
    await assert.rejects(connect('https').call('kv/range', SOME_KEY), /SELF_SIGNED|self-signed|UNABLE_TO_VERIFY/)
  })

  if (!hasOpenssl()) return

  it('that asks for client certificates answers to those that its CA signed', async () => {
    const [authority, server, client] = createCertificates(folder, ['server', 'client'])
    assert.ok(server && client)
    const flags = ['--cert-file', server.cert, '--key-file', server.key, '--client-cert-auth', '--trusted-ca-file', authority.cert]
    await start('https', flags)
    const ca = readCertificate(authority).cert
    const known = connect('https', null, { ca, ...readCertificate(client) })
    assert.ok(await eventually('an answer', async () => (await known.call('kv/range', SOME_KEY)).header))
    const refusal = /certificate|handshake|ECONNRESET|socket hang up/i
    await assert.rejects(connect('https', null, { ca }).call('kv/range', SOME_KEY), refusal)
    const selfSigned = { ca, ...readCertificate(createCertificates(await mkdtemp(join(folder, 'other-')), [])[0]) }
    await assert.rejects(connect('https', null, selfSigned).call('kv/range', SOME_KEY), refusal)
  })
})
