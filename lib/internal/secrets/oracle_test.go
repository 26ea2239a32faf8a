package secrets_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

var oracle = flag.Bool("oracle", false, "compare with gitleaks: downloads more than sixty modules and compiles them, about a minute")

// promised are the rules of gitleaks whose credentials ours finds too, each sample of them.
var promised = strings.Fields(`
	1password-secret-key 1password-service-account-token adobe-client-secret age-secret-key alibaba-access-key-id anthropic-admin-api-key
	anthropic-api-key artifactory-api-key artifactory-reference-token aws-amazon-bedrock-api-key-long-lived azure-ad-client-secret
	clickhouse-cloud-api-secret-key cloudflare-origin-ca-key databricks-api-token defined-networking-api-token digitalocean-access-token digitalocean-pat
	digitalocean-refresh-token doppler-api-token duffel-api-token dynatrace-api-token easypost-api-token easypost-test-api-token
	facebook-page-access-token flyio-access-token frameio-api-token gcp-api-key github-app-token github-fine-grained-pat github-oauth github-pat
	github-refresh-token gitlab-cicd-job-token gitlab-deploy-token gitlab-feature-flag-client-token gitlab-feed-token gitlab-incoming-mail-token
	gitlab-kubernetes-agent-token gitlab-oauth-app-secret gitlab-pat gitlab-pat-routable gitlab-ptt gitlab-rrt gitlab-runner-authentication-token
	gitlab-runner-authentication-token-routable gitlab-scim-token grafana-cloud-api-token grafana-service-account-token harness-api-key
	hashicorp-tf-api-token heroku-api-key-v2 huggingface-access-token huggingface-organization-api-token infracost-api-token intra42-client-secret
	linear-api-key maxmind-license-key notion-api-token npm-access-token octopus-deploy-api-key openai-api-key openshift-user-token perplexity-api-key
	plaid-api-token planetscale-api-token planetscale-oauth-token planetscale-password postman-api-token prefect-api-token pulumi-api-token
	pypi-upload-token readme-api-token rubygems-api-token scalingo-api-token sendinblue-api-token sentry-org-token sentry-user-token
	settlemint-personal-access-token settlemint-service-access-token shippo-api-token shopify-access-token shopify-custom-access-token
	shopify-private-app-access-token shopify-shared-secret slack-bot-token slack-config-refresh-token slack-legacy-bot-token slack-legacy-workspace-token
	slack-user-token sourcegraph-access-token twilio-api-key typeform-api-token vault-batch-token vault-service-token`)

type answer struct {
	Found   [][]string
	Samples []struct{ Rule, Text string }
}

// ask builds the oracle, which is a module of its own so that go.mod does not grow by all that gitleaks
// needs, and asks it about texts.
func ask(t *testing.T, texts []string) (a answer) {
	t.Helper()
	if !*oracle {
		t.Skip("run with -oracle: it downloads and compiles gitleaks")
	}
	program := filepath.Join(t.TempDir(), "oracle")
	download := exec.Command("go", "mod", "download")
	download.Dir = "../../../testdata/oracle"
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("the modules of gitleaks cannot be downloaded: %v\n%s", err, out)
	}
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../../testdata/oracle"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	question, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Stdin = bytes.NewReader(question)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	if err != nil || len(a.Found) != len(texts) || len(a.Samples) == 0 {
		t.Fatalf("the oracle answers %d of %d questions and gives %d samples: %v", len(a.Found), len(texts), len(a.Samples), err)
	}
	return a
}

// Both scan our corpus, and ours scans samples made from the expressions of gitleaks.
func TestAgainstGitleaks(t *testing.T) {
	var texts []string
	credentials := made(1)
	for _, s := range credentials {
		texts = append(texts, s.text+" \n")
	}
	clean := cleanLines(t)
	a := ask(t, append(texts, clean...))
	missed := map[string]bool{}
	for i, s := range credentials {
		if len(a.Found[i]) == 0 {
			missed[s.rule] = true
		}
	}
	t.Logf("of %d credentials of our corpus, gitleaks misses some of: %s", len(credentials), strings.Join(slices.Sorted(maps.Keys(missed)), ", "))
	for i, line := range clean {
		if rules := a.Found[len(credentials)+i]; len(rules) > 0 {
			t.Logf("gitleaks alone finds %v in %q", rules, line)
		}
	}
	compareSamples(t, a)
}

func compareSamples(t *testing.T, a answer) {
	samples, hits := map[string]int{}, map[string]int{}
	for _, s := range a.Samples {
		samples[s.Rule]++
		switch {
		case len(secrets.Scan(s.Text)) > 0:
			hits[s.Rule]++
		case slices.Contains(promised, s.Rule):
			t.Errorf("missed: %s %q", s.Rule, s.Text)
		}
	}
	for _, rule := range promised {
		if samples[rule] == 0 {
			t.Errorf("gitleaks has no sample of %s any more", rule)
		}
	}
	var more, none []string
	for _, rule := range slices.Sorted(maps.Keys(samples)) {
		switch {
		case slices.Contains(promised, rule):
		case hits[rule] > 0:
			more = append(more, rule)
		default:
			none = append(none, rule)
		}
	}
	t.Logf("%d samples of %d rules of gitleaks: all are found of %d rules, some of %s", len(a.Samples), len(samples), len(promised), strings.Join(more, ", "))
	t.Logf("no sample is found of those that any word before any value makes a secret: %s", strings.Join(none, ", "))
}
