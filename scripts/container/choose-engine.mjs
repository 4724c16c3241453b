import { findBuildah } from './buildah-engine.mjs'
import { findDocker } from './docker-engine.mjs'

const ENGINES = { docker: findDocker, buildah: findBuildah }

/** Returns the first engine that has or can pull the image, or all reasons. */
export async function chooseEngine(name, image) {
  if (name !== undefined && ENGINES[name] === undefined) throw new Error(`--engine: expected docker or buildah, got ${name}`)
  const missing = []
  for (const find of name === undefined ? Object.values(ENGINES) : [ENGINES[name]]) {
    const { engine, missing: why } = await find()
    if (engine === undefined) missing.push(why)
    else if (await engine.hasImage(image)) return { engine, missing }
    else {
      await engine.close()
      missing.push(`${engine.name} works, but the image ${image} is not present and cannot be pulled; name another with --base`)
    }
  }
  return { missing }
}
