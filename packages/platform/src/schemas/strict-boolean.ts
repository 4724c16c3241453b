/** Switches that decide whether money moves. They are taken as JSON booleans only, never as a word or a number for one. */
import { z } from 'zod'

/** Said where a value is none; judging a request knows a switch of this kind by it. */
export const STRICT_BOOLEAN = 'expected true or false, as a JSON boolean'

export const StrictBoolean = z.boolean({ error: STRICT_BOOLEAN })
