import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** What a query asks Prometheus for. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
  /** What is wanted of the labels, as it is written: `outcome="ok"`. */
  readonly matchers: readonly string[];
  /** Between the brackets, if there are any. */
  readonly window: string | null;
  /** The function right around it, such as `rate`; null where there is none. */
  readonly calledBy: string | null;
}

export interface ParsedQuery {
  /** What the grammar of Prometheus does not know, in the words of the query. */
  readonly mistakes: readonly string[];
  readonly selectors: readonly Selector[];
  /** Labels that it groups or matches by. */
  readonly grouped: readonly string[];
}

/** Reads a query by the grammar that Prometheus' own page uses. */
export function parseQuery(query: string): ParsedQuery {
  const text = (node: SyntaxNode): string => query.slice(node.from, node.to);
  const mistakes: string[] = [];
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter({ type, node }) {
      if (type.isError) mistakes.push(`"${text(node)}" at ${node.from} of ${query}`);
      if (type.name === 'GroupingLabels') grouped.push(...node.getChildren('LabelName').map(text));
      if (type.name !== 'VectorSelector') return;
      const around = node.parent?.name === 'MatrixSelector' ? node.parent : node;
      const window = around.getChild('DurationExpr');
      const call = around.parent?.parent?.getChild('FunctionIdentifier');
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const labels = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(text));
      selectors.push({
        metric: node.getChildren('Identifier').map(text).join(''),
        labels,
        matchers: matchers.map(text),
        window: window === null ? null : text(window),
        calledBy: call ? text(call) : null,
      });
    },
  });
  return { mistakes, selectors, grouped };
}
