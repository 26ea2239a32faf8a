package bucket

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Config says where a bucket is and where its credentials come from.
type Config struct {
	URL      string // s3://bucket or s3://bucket/prefix
	Endpoint string // https://host or https://host:port; "" for AWS
	Region   string // "" for AWS_REGION, AWS_DEFAULT_REGION, otherwise us-east-1
	Profile  string // of the AWS files; "" for the variables of AWS, otherwise AWS_PROFILE, otherwise default

	Getenv   func(string) string // nil for no environment
	Patience time.Duration       // the time limit of each operation; 0 for one minute
}

// Open returns a bucket. It sends no request to it.
func Open(ctx context.Context, c Config) (*Bucket, error) {
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	if c.Patience == 0 {
		c.Patience = time.Minute
	}
	b := &Bucket{patience: c.Patience, transport: newTransport(c.Patience)}
	b.region = cmp.Or(c.Region, c.Getenv("AWS_REGION"), c.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	if err := b.setLocation(c.URL); err != nil {
		return nil, err
	}
	isSecure, err := b.setHost(c)
	if err != nil {
		return nil, err
	}
	creds, err := b.credentials(ctx, c)
	if err != nil {
		return nil, err
	}
	// The library would retry without limit of time, and its listings would ignore ctx; see repeat and List.
	b.client, err = minio.NewCore(b.host, &minio.Options{Creds: creds, Secure: isSecure, Region: b.region,
		Transport: b.transport, MaxRetries: 1})
	if err != nil {
		return nil, fault.Config("correct it in your configuration", "endpoint %s cannot be used", b.host)
	}
	return b, nil
}

// setLocation parses s3://bucket/prefix.
func (b *Bucket) setLocation(text string) error {
	rest, ok := strings.CutPrefix(text, "s3://")
	name, prefix, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	if !ok || s3utils.CheckValidBucketNameStrict(name) != nil || prefix != "" && checkName(prefix) != nil {
		return fault.Config("write s3://bucket/prefix", "%q is not the URL of a bucket", text)
	}
	if b.name = name; prefix != "" {
		b.prefix = prefix + "/"
	}
	return nil
}

// setHost parses the endpoint.
func (b *Bucket) setHost(c Config) (isSecure bool, err error) {
	if c.Endpoint == "" {
		b.host = "s3.amazonaws.com"
		return true, nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return false, fault.Config("write https://host or https://host:port, without credentials",
			"endpoint is not the address of an object store")
	}
	b.host = u.Host
	ip := net.ParseIP(u.Hostname())
	isLocal := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme == "http" && !isLocal {
		return false, fault.Config("use https; http is for servers on this machine",
			"endpoint http://%s sends handoffs unencrypted", b.host)
	}
	return u.Scheme == "https", nil
}

// credentials returns those of the environment, unless a profile is named, otherwise those of the AWS files.
func (b *Bucket) credentials(ctx context.Context, c Config) (*credentials.Credentials, error) {
	id, secret := c.Getenv("AWS_ACCESS_KEY_ID"), c.Getenv("AWS_SECRET_ACCESS_KEY")
	if c.Profile == "" && id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, c.Getenv("AWS_SESSION_TOKEN")), nil
	}
	profile := cmp.Or(c.Profile, c.Getenv("AWS_PROFILE"), "default")
	home := cmp.Or(c.Getenv("HOME"), c.Getenv("USERPROFILE"))
	for _, f := range []struct{ variable, usual string }{
		{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}, {"AWS_CONFIG_FILE", "config"},
	} {
		file := c.Getenv(f.variable)
		if file == "" && home != "" {
			file = filepath.Join(home, ".aws", f.usual)
		}
		if file == "" {
			continue
		}
		creds := credentials.NewFileAWSCredentials(file, profile)
		value, err := creds.GetWithContext(&credentials.CredContext{Context: ctx})
		if err == nil && value.AccessKeyID != "" && value.SecretAccessKey != "" {
			return creds, nil
		}
	}
	// The error of the library would repeat lines of the files.
	advice := "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; see `handoff help settings`"
	if c.Profile != "" {
		advice = "add aws_access_key_id and aws_secret_access_key to the profile in ~/.aws/credentials"
	}
	return nil, fault.Config(advice, "no credentials for %s: profile %s has none", b.host, profile)
}
