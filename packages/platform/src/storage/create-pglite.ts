/**
 * Makes the files of an embedded database, in a thread of its own: that takes twice the memory of running it, which is
 * given back with the thread. Under another name until all are there, so that a killed process leaves no half of one.
 */
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

const MAKE = `
const { entry, directory } = require('node:worker_threads').workerData
require(entry).PGlite.create(directory).then((database) => database.close())
`

/** Nothing to do when the directory is there. One process at a time: whoever calls has the lock. */
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
    thread.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`making the database ended with code ${code}`))))
  })
  await rename(unfinished, directory)
}
