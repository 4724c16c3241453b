/** `npm run test:container`: runs no test without Docker or buildah. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkImage } from './container/check-image.mjs'
import { checkNetwork } from './container/check-network.mjs'
import { chooseEngine } from './container/choose-engine.mjs'
import { isInOwnNetwork, runInOwnNetwork } from './container/own-network.mjs'
import { createChecks } from './named-checks.mjs'
import { ROOT } from './setup.mjs'

const DEFAULT_BASE = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))[1]

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: process.env.KEELSON_NODE_IMAGE ?? DEFAULT_BASE },
    engine: { type: 'string' },
    image: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const HELP = `usage: npm run test:container -- [options]

  --base IMAGE            base image; default: KEELSON_NODE_IMAGE, or ${DEFAULT_BASE}
  --engine docker|buildah container engine; default: the first that works
  --image IMAGE           tests this image instead of building one`

const PASSED_BEFORE = 'KEELSON_CONTAINER_PASSED'
const { total, check } = createChecks(Number(process.env[PASSED_BEFORE] ?? 0))
let innerCode = null

async function openImage(engine) {
  const image = values.image ?? 'localhost/keelson:test'
  if (values.image === undefined) {
    const built = await check(`${engine.name} builds the image`, () => engine.build(ROOT, values.base, image))
    if (!built) return null
  }
  if (!engine.sharesNetwork || isInOwnNetwork()) return image
  await engine.close()
  innerCode = runInOwnNetwork(['--engine', engine.name, '--image', image], { [PASSED_BEFORE]: String(total.passed) })
  return null
}

async function main() {
  if (values.help) return console.log(HELP)
  const { engine, missing } = await chooseEngine(values.engine, values.image ?? values.base)
  if (engine === undefined) console.log(`No container was built or started: ${missing.join('; ')}.`)
  else {
    try {
      const image = await openImage(engine)
      if (image !== null) {
        await checkImage(engine, image, check)
        await checkNetwork(engine, image, check)
      }
    } finally {
      await engine.close()
    }
  }
  if (innerCode === null) console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = innerCode ?? (total.failed === 0 ? 0 : 1)
}

await main()
