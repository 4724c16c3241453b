/**
 * Unknown fields are ignored, so a misspelt field would have no effect: `{"simulateOnly": true}` would trade. Schemas whose fields
 * decide whether and how money moves therefore refuse an unknown field that looks like a switch of a trade, or like one of their own
 * optional fields.
 */
import { closestName } from '@keelson/runtime'
import { z } from 'zod'

/** What authors of clients write for the switches of a trade. */
const SWITCHES: readonly (readonly [spelling: string, field: string])[] = [
  ...['confirm', 'confirmed', 'confirmation'].map((spelling) => [spelling, 'confirm'] as const),
  ...['simulateonly', 'simulationonly', 'dryrun'].map((spelling) => [spelling, 'simulate_only'] as const),
  ['skiprisk', 'skip_risk'],
]
/** A field that contains one of these is about the switch. */
const STEMS: readonly (readonly [stem: string, field: string])[] = [
  ['confirm', 'confirm'],
  ['simul', 'simulate_only'],
  ['skip', 'skip_risk'],
  ['risk', 'skip_risk'],
]
const MAX_NAME = 64

export function refuseMisspelt<S extends z.ZodObject>(schema: S) {
  const fields = Object.entries<z.core.$ZodType>(schema.shape)
  const optionalFields = fields.filter(([, { _zod }]) => _zod.optin === 'optional')
  const spellings = new Map([...SWITCHES, ...optionalFields.map(([field]) => [plain(field), field] as const)])
  return z.preprocess((sent, context) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
    for (const [name, input] of Object.entries(sent)) {
      const meant = Object.hasOwn(schema.shape, name) ? null : fieldMeantBy(name, spellings)
      if (meant === null) continue
      context.issues.push({
        code: 'custom',
        path: [name],
        input,
        params: { type: 'extra_forbidden' },
        message: `Unrecognized field: ${meant in schema.shape ? `did you mean ${meant}?` : `${meant} is not a field of this object`}`,
      })
    }
    return sent
  }, schema)
}

function fieldMeantBy(name: string, spellings: ReadonlyMap<string, string>): string | null {
  const written = plain(name.slice(0, MAX_NAME))
  const [, switched = null] = STEMS.find(([stem]) => written.includes(stem)) ?? []
  return switched ?? spellings.get(closestName(written, [...spellings.keys()]) ?? '') ?? null
}

/** `simulateOnly`, `Simulate-Only` and `simulate_only` are one spelling. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
