import assert from 'node:assert/strict'
import { connectEtcd, storeAddress } from './etcd-options.ts'

const PLAIN = { storeCa: null, storeCert: null, storeKey: null, storeUser: null, storePasswordFile: null, storeTimeout: 500 }

describe('--store', () => {
  it('is disk, or members of etcd with or without TLS', () => {
    assert.deepEqual(storeAddress('disk'), { kind: 'disk' })
    assert.deepEqual(storeAddress('etcd://a:2379,10.0.0.2:2379,[::1]:2379'), {
      kind: 'etcd',
      endpoints: ['http://a:2379', 'http://10.0.0.2:2379', 'http://[::1]:2379'],
    })
    assert.deepEqual(storeAddress('etcds://a.example:2379/'), { kind: 'etcd', endpoints: ['https://a.example:2379'] })
  })

  it('rejects what names no members, a path, or a user', () => {
    for (const wrong of [
      'etcd://',
      'etcd://a',
      'http://a:2379',
      'etcd://a:2379/path',
      'etcd://user:secret@a:2379',
      `etcd://${'a:1,'.repeat(9)}a:1`,
    ])
      assert.throws(() => storeAddress(wrong), /expected disk, or etcd:\/\/HOST:PORT/, wrong)
  })

  it('has options that need one another', () => {
    const connect = (options: Partial<typeof PLAIN | Record<keyof typeof PLAIN, string>>, endpoint = 'https://a:2379') =>
      connectEtcd({ endpoints: [endpoint], options: { ...PLAIN, ...options } as typeof PLAIN })
    assert.throws(() => connect({ storeUser: 'keelson' }), /--store\.user and --store\.password-file together/)
    assert.throws(() => connect({ storeCert: import.meta.filename }), /--store\.cert and --store\.key together/)
    assert.throws(() => connect({ storeCa: import.meta.filename }, 'http://a:2379'), /write --store etcds:\/\//)
    assert.throws(() => connect({ storeCa: '/missing.pem' }), /--store\.ca: cannot read \/missing\.pem/)
    connect({ storeCa: import.meta.filename }).http.close()
  })
})
