import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

const MAKE = `
const { entry, directory } = require('node:worker_threads').workerData
require(entry).PGlite.create(directory).then((database) => database.close())
`

/**
 * Creates the files in a worker thread, whose end frees the memory, then renames the folder. The caller must hold the directory's
 * lock.
 */
export async function createPgliteFiles(directory: string): Promise<void> {
  if (existsSync(join(directory, 'PG_VERSION'))) return
  const unfinished = `${directory}.new`
  await rm(unfinished, { recursive: true, force: true })
  await new Promise<void>((resolve, reject) => {
    const thread = new Worker(MAKE, {
      eval: true,
      workerData: { entry: createRequire(import.meta.url).resolve('@electric-sql/pglite'), directory: unfinished },
    })
    thread.once('error', reject)
    thread.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`creating the database exited with code ${code}`))))
  })
  await rename(unfinished, directory)
}
