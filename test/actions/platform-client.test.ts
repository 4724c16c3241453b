import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type ContractWorld, createContractWorld } from '../support/platform/contract-world.ts'

const BIN = join(import.meta.dirname, '../../node_modules/.bin')
const STRICT = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noImplicitOverride']
const MODULES = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', '--lib', 'es2023,dom', '--types', '']
const run = promisify(execFile)

const JOURNEY = `
import { ApiError, PlatformClient } from './client/index'

export async function journey(BASE: string) {
  const anonymous = new PlatformClient({ BASE })
  const [email, password] = ['client@example.org', 'correct horse battery']
  const user = await anonymous.auth.postV1AuthRegister({ email, password })
  const login = await anonymous.auth.postV1AuthLogin({ username: email, password })
  const session = await new PlatformClient({ BASE, TOKEN: login.access_token }).auth.postV1AuthSession()
  const client = new PlatformClient({ BASE, TOKEN: session.token.access_token })
  const renamed = await client.auth.patchV1AuthSessionSessionIdName(session.session_id, { name: 'of a client' })
  const price = await client.oracle.postV1MultiAgentOraclePrice({ chain: 'devnet', pair: 'ETH/USD' })
  const positions = await client.positions.getV1Positions()
  const refused = await client.oracle.postV1MultiAgentOraclePrice({ chain: 'nowhere', pair: 'ETH/USD' }).catch((error: unknown) => error)
  if (!(refused instanceof ApiError)) throw new Error('a chain that is not there has a price')
  return { email: user.email, name: renamed.name, price: price.price, positions: positions.length, refused: refused.status }
}
`

describe('a generated client of the agent platform', () => {
  let world: ContractWorld
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-client-'))
    world = await createContractWorld()
  })
  after(async () => {
    await world.stop()
    await rm(folder, { recursive: true })
  })

  it('compiles, registers, logs in, opens a session, requests a price and positions, and gets errors in the described form', async () => {
    const { body } = await world.ask('GET /openapi.json')
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(body))
    const generator = ['--input', 'openapi.json', '--output', 'client', '--client', 'fetch', '--name', 'PlatformClient']
    await run(join(BIN, 'openapi'), generator, { cwd: folder })
    await writeFile(join(folder, 'journey.ts'), JOURNEY)
    await run(join(BIN, 'tsc'), [...STRICT, ...MODULES, '--noEmit', 'journey.ts'], { cwd: folder }).catch((error: { stdout?: string }) =>
      assert.fail(`the client does not compile: ${error.stdout}`),
    )
    const bundle = join(folder, 'journey.mjs')
    await build({ entryPoints: [join(folder, 'journey.ts')], bundle: true, format: 'esm', platform: 'node', outfile: bundle })
    const { journey } = (await import(pathToFileURL(bundle).href)) as { journey(url: string): Promise<unknown> }
    assert.deepEqual(await journey(world.platform.server.url), {
      email: 'client@example.org',
      name: 'of a client',
      price: '2500',
      positions: 0,
      refused: 404,
    })
  })
})
