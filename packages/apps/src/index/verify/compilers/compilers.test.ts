import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, createSilentLogger, type ManualClock } from '@keelson/runtime'
import { VerifyRefusal } from '../verify-refusal.ts'
import { BUNDLED_COMPILER, createCompilers } from './compilers.ts'
import { PUBLISHED_COMPILERS } from './published-compilers.ts'

const RELEASE = '0.8.20'
const VERSION = '0.8.20+commit.a1b79de6'
const MODULE = 'module.exports = "a compiler"\n'

describe('compilers of other versions', function () {
  this.timeout(60_000)
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-compilers-'))
  const { signal } = new AbortController()
  let registry: Server
  let registryBefore: string | undefined
  let asked: string[]
  let tarball: Buffer
  let clock: ManualClock
  let folder: string

  before(async () => {
    const content = join(scratch, 'content')
    mkdirSync(content)
    writeFileSync(join(content, 'package.json'), JSON.stringify({ name: 'solc', version: RELEASE }))
    writeFileSync(join(content, 'soljson.js'), MODULE)
    execFileSync('npm', ['pack', content, '--pack-destination', scratch, '--cache', join(scratch, 'cache'), '--loglevel=error'])
    tarball = readFileSync(join(scratch, `solc-${RELEASE}.tgz`))
    registry = createServer(({ url = '' }, response) => {
      asked.push(url)
      if (url.endsWith('.tgz')) return response.end(tarball)
      const dist = { tarball: `${registryUrl()}/solc/-/solc-${RELEASE}.tgz`, integrity: `sha512-${digest()}` }
      const versions = { [RELEASE]: { name: 'solc', version: RELEASE, dist } }
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ name: 'solc', versions, 'dist-tags': { latest: RELEASE } }))
    })
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
    registryBefore = process.env.npm_config_registry
    process.env.npm_config_registry = registryUrl()
  })
  beforeEach(() => {
    asked = []
    clock = createManualClock(0)
    folder = mkdtempSync(join(scratch, 'folder-'))
  })
  after(async () => {
    if (registryBefore === undefined) delete process.env.npm_config_registry
    else process.env.npm_config_registry = registryBefore
    registry.closeAllConnections()
    await new Promise((resolve) => registry.close(resolve))
    rmSync(scratch, { recursive: true })
  })

  const registryUrl = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
  const digest = () => createHash('sha512').update(tarball).digest('base64')
  const open = (sha512: string) =>
    createCompilers({ folder, published: [{ version: VERSION, release: RELEASE, sha512 }] }, { clock, log: createSilentLogger() })
  const isMissing = (error: unknown) =>
    error instanceof VerifyRefusal && error.problem === 'no-compiler' && error.expected.includes(RELEASE)

  it('are fetched from npm once, when the first contract needs them, and stay', async () => {
    const compilers = open(digest())
    const paths = await Promise.all([compilers.open(VERSION, signal), compilers.open(VERSION, signal)])
    assert.deepEqual(new Set(paths).size, 1)
    assert.equal(readFileSync(paths[0] as string, 'utf8'), MODULE)
    assert.equal(asked.filter((url) => url.endsWith('.tgz')).length, 1)
    const requests = asked.length
    assert.equal(await open(digest()).open(VERSION, signal), paths[0])
    assert.equal(asked.length, requests)
  })

  it('are refused when they are not what was published, and not asked for again within a minute', async () => {
    const compilers = open(createHash('sha512').update('another package').digest('base64'))
    await assert.rejects(compilers.open(VERSION, signal), isMissing)
    assert.equal(existsSync(join(folder, `soljson-${VERSION}.js`)), false)
    const requests = asked.length
    await assert.rejects(compilers.open(VERSION, signal), isMissing)
    assert.equal(asked.length, requests)
    await clock.advance(60_000)
    await assert.rejects(compilers.open(VERSION, signal), isMissing)
    assert.ok(asked.length > requests)
  })

  it('can be put into the folder by the operator where npm is not reachable', async () => {
    writeFileSync(join(folder, `solc-${RELEASE}.tgz`), tarball)
    assert.equal(readFileSync(await open(digest()).open(VERSION, signal), 'utf8'), MODULE)
    assert.deepEqual(asked, [])
  })

  it('have the names that clients send', () => {
    const compilers = createCompilers({ folder }, { clock, log: createSilentLogger() })
    for (const [given, expected] of [
      ['0.8.20', VERSION],
      ['v0.8.20', VERSION],
      ['v0.8.20+commit.a1b79de6', VERSION],
      ['0.8.20+commit.a1b79de6.Linux.g++', VERSION],
      ['0.8.20+commit.a1b79de6.Emscripten.clang', VERSION],
      ['0.8.37', BUNDLED_COMPILER],
      ['0.8.20+commit.00000000', null],
      ['0.8', null],
      ['latest', null],
      ['0.8.20/../x', null],
      ['', null],
    ] as const)
      assert.equal(compilers.find(given), expected, given)
  })

  it('are every release of 0.8 except 0.8.1, whose package has the compiler of 0.8.0', () => {
    const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string }
    assert.equal(BUNDLED_COMPILER.split('+')[0], version)
    const minors = PUBLISHED_COMPILERS.map((one) => one.version.split('+')[0]?.split('.')[2]).map(Number)
    assert.deepEqual(minors, [...Array.from({ length: 35 }, (_, i) => 36 - i), 0])
    for (const { sha512 } of PUBLISHED_COMPILERS) assert.equal(Buffer.from(sha512, 'base64').length, 64)
  })
})
