import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeServer, makeNetwork, openServer, openSurroundings, type Surroundings } from './faults.test-support.ts'
import type { Finding } from './finding.ts'
import { renderFinding } from './render-finding.ts'
import { roleFolders } from './role-folders.ts'

const OTHER_HASH = `0x${'0f'.repeat(32)}` as const

const failures = (findings: readonly Finding[]) => findings.filter(({ status }) => status === 'fail')

describe('doctor, of what belongs to which network', function () {
  this.timeout(60_000)
  let network: string
  let world: Surroundings
  before(async () => {
    network = await makeNetwork()
  })
  after(() => rmSync(network, { recursive: true }))
  beforeEach(async () => {
    world = await openSurroundings(network)
  })
  afterEach(() => world.close())

  it('does not diagnose another network that has the ports, and say that nothing is wrong', async () => {
    const other = await openServer((request, response) => {
      request.resume().on('end', () => {
        const genesis = { l2: { hash: OTHER_HASH } }
        response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { hash: OTHER_HASH, genesis } }))
      })
    })
    try {
      world.settings = {
        ...world.settings,
        httpRpc: other.url,
        rollupRpc: other.url,
        engineUrl: other.url,
        engineGiven: false,
        health: [other.url],
      }
      const findings = await world.examine()
      const failed = failures(findings)
      assert.deepEqual([...new Set(failed.map(({ check }) => check))], ['genesis'])
      const line =
        /^FAIL {2}genesis +the execution client at 127\.0\.0\.1:\d+ is of another network: its genesis is 0x0f0f.*, that of .* is 0x.*; .*--devnet FOLDER/
      assert.match(renderFinding(failed[0] as Finding), line)
      for (const check of ['engine', 'heads', 'readiness']) {
        const said = findings.filter((finding) => finding.check === check).map(({ status }) => status)
        assert.deepEqual(said, ['skip'], check)
      }
      assert.ok(findings.findIndex(({ check }) => check === 'genesis') < findings.findIndex(({ check }) => check === 'ports'))
    } finally {
      await closeServer(other.server)
    }
  })

  it('takes a folder that holds those of the roles, as db stats does', async () => {
    const [own] = world.settings.dataDirs
    assert.deepEqual(await roleFolders(world.folder), [own])
    assert.deepEqual(await roleFolders(own as string), [own])
    const none = join(world.folder, 'new')
    assert.deepEqual(await roleFolders(none), [none])
  })
})
