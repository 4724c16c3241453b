import assert from 'node:assert/strict'
import type { DoctorContext } from '../doctor-context.ts'
import { closeServer, openServer } from '../faults.test-support.ts'
import { createProbe } from '../probe.ts'
import { renderFinding } from '../render-finding.ts'
import { etcdCheck } from './etcd.ts'

describe('the doctor on the etcd that conductors share', () => {
  it('names what is wrong', async () => {
    const status = { version: '3.4.23', leader: '1', dbSize: '20480' }
    const answers: Record<string, readonly [status: number, body: object]> = {
      'maintenance/status': [200, status],
      'kv/range': [200, {}],
      'cluster/member/list': [200, { members: [{}, {}, {}] }],
      'maintenance/alarm': [200, {}],
    }
    const etcd = await openServer((request, response) => {
      const [code, body] = answers[(request.url ?? '').replace('/v3/', '')] ?? [404, {}]
      response.writeHead(code).end(JSON.stringify(body))
    })
    const options = { storeCa: null, storeCert: null, storeKey: null, storeUser: null, storePasswordFile: null, storeTimeout: 2_000 }
    const probe = createProbe({ timeoutMs: 2_000, nowMs: Date.now })
    const said = async (...endpoints: readonly string[]) => {
      const result = await etcdCheck.run({ settings: { etcd: { endpoints, options } }, probe } as unknown as DoctorContext)
      return [result]
        .flat()
        .map((each) => renderFinding({ check: 'etcd', ...each }))
        .join('\n')
    }
    const down = 'http://127.0.0.1:1'
    assert.match(await said(etcd.url), /^ok .*etcd 3\.4\.23: 1 of 3 members answer and have a quorum$/)
    assert.match(
      await said(etcd.url, down),
      /^warn .*a member of etcd does not answer: 127\.0\.0\.1:1: .*: the failure of another may end the quorum/,
    )
    assert.match(await said(down), /^FAIL .*no member of etcd answers: .*: no block is sealed/)
    answers['maintenance/alarm'] = [200, { alarms: [{ alarm: 'NOSPACE' }] }]
    assert.match(await said(etcd.url), /^FAIL .*etcd raises the alarm NOSPACE: it refuses writes/)
    answers['maintenance/status'] = [200, { ...status, version: '3.3.27' }]
    assert.match(await said(etcd.url), /^FAIL .*etcd 3\.3\.27 at 127\.0\.0\.1:\d+ is too old/)
    answers['kv/range'] = [503, { error: 'etcdserver: request timed out', code: 14 }]
    assert.match(await said(etcd.url, down), /^FAIL .*etcd has no quorum: 1 of 2 members answer: no block is sealed/)
    assert.equal(probe.clockSamples.length, 1, 'etcd says the time too')
    probe.close()
    await closeServer(etcd.server)
  })
})
