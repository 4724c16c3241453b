/** Which container engine this machine has. */
import { findBuildah } from './buildah-engine.mjs'
import { findDocker } from './docker-engine.mjs'

const ENGINES = { docker: findDocker, buildah: findBuildah }

/** The first engine that works and has the image or can fetch it; else, of each engine, why not. Throws for an unknown name. */
export async function chooseEngine(name, image) {
  if (name !== undefined && ENGINES[name] === undefined) throw new Error(`--engine: expected docker or buildah, got ${name}`)
  const missing = []
  for (const find of name === undefined ? Object.values(ENGINES) : [ENGINES[name]]) {
    const { engine, missing: why } = await find()
    if (engine === undefined) missing.push(why)
    else if (await engine.hasImage(image)) return { engine, missing }
    else {
      await engine.close()
      missing.push(`${engine.name} is here, but the image ${image} is neither here nor can it be fetched; name another with --base`)
    }
  }
  return { missing }
}
