import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, YAMLError, YAMLMap } from 'yaml';
import { formatPath, locateFindings } from './configError.ts';
import type { ConfigProblem, Finding, Locate, Path } from './configError.ts';

/** A YAML text as plain data. `value` is undefined where it could not be read; `problems` then says why. */
export interface YamlText {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  readonly locate: Locate;
}

/** Reads YAML 1.2 (and so JSON), with merge keys. Never throws: syntax errors, duplicate keys and bad aliases are problems with their lines. */
export function parseYamlText(text: string, file: string): YamlText {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  const lineAt = (offset: number) => Math.max(1, counter.linePos(offset).line);
  const locate: Locate = (path) => {
    return { file, line: lineAt(findOffset(document, path)), path: formatPath(path) };
  };
  const stopWith = (line: number | null, message: string): YamlText => {
    return { value: undefined, problems: [{ file, line, path: '', message }], locate };
  };

  // After its first syntax error the parser guesses; what follows from that would only confuse.
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    const line = lineAt(fault.pos[0]);
    return stopWith(line, describeFault(fault, text.split('\n')[line - 1] ?? ''));
  }
  const { duplicates, badAliases } = inspect(document);
  if (badAliases.length > 0) {
    const problems = locateFindings([...duplicates, ...badAliases], locate);
    return { value: undefined, problems, locate };
  }
  try {
    const value: unknown = document.toJS();
    if (value === null) return stopWith(null, 'the file is empty');
    return { value, problems: locateFindings(duplicates, locate), locate };
  } catch (error) {
    // Aliases of aliases of aliases: the library refuses to unfold them.
    return stopWith(null, error instanceof Error ? error.message : String(error));
  }
}

function describeFault({ code, message }: YAMLError, line: string): string {
  if (code === 'MULTIPLE_DOCS') return 'one file holds one config: nothing may follow "---"';
  const hint = [
    line.includes('${env.') ? '; inside {} and [] write "${env.NAME}" in quotes' : '',
    line.includes(']:') ? '; write "[::1]:8082" in quotes' : '',
  ];
  return message.charAt(0).toLowerCase() + message.slice(1) + hint.join('');
}

/** Finds what the parser lets pass: keys that come twice, and aliases that name nothing or what they are part of. */
function inspect(document: Document) {
  const duplicates: Finding[] = [];
  const badAliases: Finding[] = [];
  look(document.contents, [], []);
  return { duplicates, badAliases };

  function look(node: unknown, path: Path, parents: readonly unknown[]): void {
    const inside = [...parents, node];
    if (isAlias(node)) {
      const target = node.resolve(document);
      if (target === undefined) {
        badAliases.push({ path, message: `no anchor "&${node.source}" comes before this alias` });
      } else if (parents.includes(target)) {
        badAliases.push({ path, message: `the alias "*${node.source}" is part of itself` });
      }
    }
    if (isSeq(node)) node.items.forEach((item, index) => look(item, [...path, index], inside));
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = toName(key);
      const here = [...path, name];
      if (seen.has(name)) duplicates.push({ path: here, message: 'this key comes twice' });
      seen.add(name);
      look(value, here, inside);
    }
  }
}

/** Offset of a key or list item, or of the nearest thing around it that exists. */
function findOffset(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const parent = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(parent) ? findPair(parent, String(step)) : undefined;
    const next = isSeq(parent) && typeof step === 'number' ? parent.items[step] : pair?.value;
    const start = startOf(pair === undefined ? next : pair.key);
    if (start === undefined) break;
    offset = start;
    node = next;
  }
  return offset;
}

/** Of a key that comes twice the last, as that is the one that counts. */
function findPair(map: YAMLMap, name: string) {
  return map.items.findLast(({ key }) => toName(key) === name);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function toName(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
