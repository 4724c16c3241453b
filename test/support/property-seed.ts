/** Seeds all property tests from KEELSON_PROPERTY_SEED. Mocha loads it first. */
import { createRequire } from 'node:module'
import fc from 'fast-check'

const DEFAULT_SEED = 20_260_101
const given = process.env.KEELSON_PROPERTY_SEED
const seed = given === undefined ? DEFAULT_SEED : Number(given)
if (!Number.isInteger(seed)) throw new Error(`KEELSON_PROPERTY_SEED is ${JSON.stringify(given)}; expected an integer`)

// Mocha requires test files unless they await at top level, so two instances of the library are in use.
const required = createRequire(import.meta.url)('fast-check') as typeof fc
for (const instance of [fc, required]) instance.configureGlobal({ ...instance.readConfigureGlobal(), seed })
