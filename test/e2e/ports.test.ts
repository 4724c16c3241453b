import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts, namedPorts } from '../../packages/devnet/src/ports/ports.ts'
import { claimE2ePorts, portsOf } from '../support/e2e-ports.ts'

const FIRST_EPHEMERAL_PORT = 32_768

describe('the ports of an end-to-end test', () => {
  let folder: string
  const servers: Server[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-ports-'))
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true })
  })

  it('belong to one test each, even for concurrent claims, and are below the ephemeral ports', async () => {
    const claims = await Promise.all(Array.from({ length: 5 }, () => claimE2ePorts(folder)))
    const all = claims.flatMap(({ offset }) => portsOf(offset))
    assert.equal(new Set(all).size, all.length)
    assert.ok(Math.max(...all) < FIRST_EPHEMERAL_PORT)
  })

  it('exclude those of a network on the default ports and those of other programs', async () => {
    const defaults = new Set(namedPorts(devnetPorts(0, 2)).map(([, port]) => port))
    const { offset } = await claimE2ePorts(folder)
    assert.deepEqual(
      portsOf(offset).filter((port) => defaults.has(port)),
      [],
    )
    rmSync(join(folder, String(offset)))
    const server = createServer()
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(devnetPorts(offset, 2).faucet.metrics, '127.0.0.1', resolve))
    assert.notEqual((await claimE2ePorts(folder)).offset, offset)
  })

  it('are free again when the claiming process has exited', async () => {
    const { offset } = await claimE2ePorts(folder)
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    writeFileSync(join(folder, String(offset)), String(gone))
    assert.equal((await claimE2ePorts(folder)).offset, offset)
    assert.deepEqual(readdirSync(folder), [String(offset)])
  })
})
